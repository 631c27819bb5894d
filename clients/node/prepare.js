'use strict';
const databases = require('./databases');

(async () => {
  const { Person, Visit, knex, sequelize, source } = databases;
  await knex.migrate.latest();
  await knex.migrate.down();
  await knex('parent').del();
  await knex.migrate.latest();
  await knex.destroy();
  for (const options of [{}, { alter: true }]) {
    await Person.sync(options);
    await Visit.sync(options);
  }
  await sequelize.close();
  await source.initialize();
  await source.synchronize();
  await source.synchronize(); // finds nothing to do
  const more = await source.driver.createSchemaBuilder().log();
  if (more.upQueries.length > 0) {
    throw new Error(more.upQueries.map(query => query.query).join('; '));
  }
  await source.destroy();
})().catch(error => {
  console.error(error);
  process.exit(1);
});

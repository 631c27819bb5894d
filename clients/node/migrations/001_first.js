exports.up = async knex => {
  await knex.schema.withSchema('tool').createTable('order', table => {
    table.bigIncrements('id');
    table.integer('tenant').notNullable().index();
    table.jsonb('lines').notNullable().defaultTo('[]');
    table.json('raw');
    table.decimal('total', 12, 2);
    table.timestamps(true, true);
    table.unique(['tenant', 'id']);
  });
};
exports.down = knex => knex.schema.withSchema('tool').dropTable('order');

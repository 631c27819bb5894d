exports.up = async knex => {
  await knex.schema.withSchema('tool').alterTable('order', table => {
    table.string('state', 10).notNullable().defaultTo('new');
    table.enu('kind', ['a', 'b']).nullable();
    table.decimal('total', 14, 2).alter();
    table.foreign('tenant', 'order_of_tenant').references('id').inTable('parent').deferrable('deferred');
  });
  await knex('parent').insert([...Array(12).keys()].map(i => ({ id: i + 1 })));
};
exports.down = knex => knex.schema.withSchema('tool').alterTable('order', table => {
  table.dropForeign('tenant', 'order_of_tenant');
  table.dropColumns('state', 'kind');
});

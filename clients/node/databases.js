'use strict';
/** The same database through each mapper. */
const { DataTypes, Sequelize } = require('sequelize');
const { DataSource, EntitySchema } = require('typeorm');
const knex = require('knex');

const { PGHOST: host, PGPORT, PGUSER: user, PGDATABASE: database } = process.env;
const port = Number(PGPORT);

exports.knex = knex({
  client: 'pg',
  connection: { host, port, user, database, application_name: 'knex' },
  pool: { min: 1, max: 2 },
  migrations: { directory: `${__dirname}/migrations`, schemaName: 'tool' },
});

exports.sequelize = new Sequelize(database, user, '', {
  host, port, dialect: 'postgres', logging: false, pool: { max: 2 }, schema: 'tool',
});
exports.Person = exports.sequelize.define('Person', {
  name: { type: DataTypes.STRING, unique: true },
  profile: { type: DataTypes.JSONB, defaultValue: {} },
  tags: DataTypes.ARRAY(DataTypes.STRING),
});
exports.Visit = exports.sequelize.define('Visit', { what: DataTypes.JSONB });
exports.Person.hasMany(exports.Visit, { as: 'visits', onDelete: 'CASCADE' });
exports.Visit.belongsTo(exports.Person);
exports.Item = exports.sequelize.define('Item', {
  tenant: { type: DataTypes.INTEGER, primaryKey: true },
  id: { type: DataTypes.INTEGER, primaryKey: true },
  n: DataTypes.BIGINT,
  name: DataTypes.TEXT,
  doc: DataTypes.JSONB,
}, { tableName: 'item', schema: 'public', timestamps: false });

exports.ItemEntity = new EntitySchema({
  name: 'ItemEntity',
  tableName: 'item',
  schema: 'public',
  synchronize: false,
  columns: {
    tenant: { type: 'int', primary: true },
    id: { type: 'int', primary: true },
    n: { type: 'bigint' },
    name: { type: 'text' },
    doc: { type: 'jsonb' },
  },
});
exports.Book = new EntitySchema({
  name: 'Book',
  tableName: 'book',
  columns: {
    id: { type: 'int', primary: true, generated: true },
    title: { type: 'varchar', length: 50, unique: true },
    meta: { type: 'jsonb', default: {} },
    added: { type: 'timestamptz', createDate: true },
    version: { type: 'int', version: true },
  },
});
exports.source = new DataSource({
  type: 'postgres', host, port, username: user, database, schema: 'tool', installExtensions: false,
  entities: [exports.ItemEntity, exports.Book], applicationName: 'typeorm', poolSize: 2,
});

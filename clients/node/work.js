'use strict';
/** node-postgres and what is built on it: Knex, Sequelize, TypeORM. */
const { Client, Pool } = require('pg');
const Cursor = require('pg-cursor');
const { Op } = require('sequelize');

const book = require(`${process.env.COMMON}/book.js`);
const { Book, Item, ItemEntity, Person, Visit, knex, sequelize, source } = require('./databases');

const { key, number } = book;
const ADD = 'UPDATE item SET n = n + 1 WHERE tenant = $1 AND id = $2';
const ONE = 'SELECT n FROM item WHERE tenant = $1 AND id = $2';
const pool = new Pool({ max: 2, application_name: 'pg' });

async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function pgBlock() {
  const where = key();
  const result = await transaction(async client => {
    const before = await client.query(`${ONE} FOR UPDATE`, where);
    const done = await client.query(ADD, where);
    const after = await client.query(ONE, where);
    return [done.rowCount, Number(after.rows[0].n) - Number(before.rows[0].n)];
  });
  book.add();
  return result;
}

async function pgAtOnce() {
  const row = (await pool.query(`${ADD} RETURNING doc->'tags'->0 AS tag, note`, key())).rows[0];
  book.add();
  return row;
}

async function pgNamed() {
  const rows = await transaction(async client => {
    const found = [];
    for (let i = 0; i < 3; i++) {
      const { rows: [row], fields } = await client.query({
        name: 'named', text: 'SELECT name, doc->$3 AS tags, price FROM item WHERE tenant = $1 AND id = $2',
        values: [key()[0], 21, 'tags'],
      });
      found.push([row, fields.map(field => [field.name, field.dataTypeID])]);
    }
    return found;
  });
  return [...new Set(rows.map(row => JSON.stringify(row)))];
}

async function pgCursor() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(ONE, key());
    const cursor = client.query(new Cursor('SELECT id FROM item WHERE tenant = $1 ORDER BY id', [key()[0]]));
    const first = await cursor.read(3);
    const next = await cursor.read(2);
    await cursor.close();
    await client.query('COMMIT');
    return [first, next];
  } finally {
    client.release();
  }
}

async function pgWrong() {
  const told = [];
  for (const [text, values] of [
    ['SELECT 1 / 0', []], ['SELECT doc->$1 + 1 FROM item', ['a']], ['INSERT INTO item (tenant, id) VALUES (1, 1)', []],
    ["UPDATE item SET price = -1 WHERE tenant = 2 AND id = 2", []], ['SELECT $1::jsonb', ['{']],
  ]) {
    await transaction(async client => {
      await client.query(ONE, key());
      await client.query(text, values);
    }).catch(error => {
      if (error.code.startsWith('40')) {
        throw error;
      }
      told.push(book.failure(error));
    });
  }
  return told;
}

async function pgSeveral() {
  const [tenant, id] = key();
  const results = await pool.query(
      `BEGIN; UPDATE item SET n = n + 1 WHERE tenant = ${tenant} AND id = ${id}; SELECT 1 AS x; COMMIT`);
  book.add();
  return results.map(result => [result.command, result.rowCount, result.rows]);
}

async function pgAdvisory() {
  const lock = number();
  const client = new Client({ application_name: 'pg' });
  await client.connect();
  try {
    for (let i = 0; i < 3; i++) {
      await client.query(ADD, key());
      book.add();
    }
    await client.query('SELECT pg_advisory_lock($1)', [lock]);
    for (let i = 0; i < 3; i++) {
      await client.query(ADD, key());
      book.add();
    }
    const other = await pool.query('SELECT pg_try_advisory_lock($1) AS got', [lock]);
    const unlocked = await client.query('SELECT pg_advisory_unlock($1) AS done', [lock]);
    return [other.rows, unlocked.rows];
  } finally {
    await client.end();
  }
}

async function knexTransaction() {
  const [tenant, id] = key();
  const result = await knex.transaction(async trx => {
    const item = await trx('item').where({ tenant, id }).forUpdate().first('doc', 'note');
    const done = await trx('item').where({ tenant, id }).increment('n', 1)
        .update({ doc: trx.raw("jsonb_set(doc, '{knex}', ?)", [JSON.stringify({ deep: [1] })]) });
    const inner = await trx.transaction(async nested => {
      await nested('item').where({ tenant, id }).increment('n', 1);
      throw new Error('rolled back');
    }).catch(error => error.message);
    return [done, inner, item.doc.tags[0], item.note];
  });
  book.add();
  return result;
}

async function knexJson() {
  const [tenant] = key();
  const mine = () => knex('item').where({ tenant });
  return [
    await mine().whereJsonSupersetOf('doc', { tags: [7] }).count('*'),
    await mine().whereRaw("doc->'tags'->>1 = ?", ['5']).pluck('id'),
    await mine().where('id', '<', 3).orderBy('id').select(knex.raw("doc #>> '{tags,0}' AS tag")),
  ];
}

async function knexOrders() {
  const [tenant] = key();
  return knex.transaction(async trx => {
    const orders = () => trx('order').withSchema('tool');
    const [order] = await orders().insert({ tenant, lines: JSON.stringify([{ sku: 1 }]), raw: { a: 1 }, total: 2.5 })
        .returning(['id', 'lines', 'raw', 'total', 'state']);
    const [merged] = await orders().insert({ id: order.id, tenant, total: 3 }).onConflict('id').merge(['total'])
        .returning(['total', 'lines']);
    const removed = await orders().where({ id: order.id }).del();
    delete order.id;
    return [order, merged, removed];
  });
}

async function knexStreams() {
  let total = 0;
  for await (const row of knex('item').where({ tenant: key()[0] }).select('id').stream()) {
    total += row.id;
  }
  return total;
}

async function knexJobs() {
  await knex('job').insert([0, 1, 2].map(n => ({ tenant: key()[0], payload: { n } })));
  await knex.transaction(async trx => {
    const jobs = await trx('job').orderBy('id').limit(3).forUpdate().skipLocked().select('id');
    if (jobs.length > 0) {
      await trx('done').insert(jobs.map(({ id }) => ({ job: id, instance: book.INSTANCE })));
      await trx('job').whereIn('id', jobs.map(({ id }) => id)).del();
    }
  });
  return 'done';
}

async function knexJobsAtOnce() {
  await knex('job').insert([0, 1].map(n => ({ tenant: key()[0], payload: { n } })));
  const jobs = await knex('job').whereIn('id',
      knex('job').orderBy('id').limit(2).forUpdate().skipLocked().select('id')).del().returning('id');
  if (jobs.length > 0) {
    await knex('done').insert(jobs.map(({ id }) => ({ job: id, instance: book.INSTANCE })));
  }
  return 'done';
}

async function sequelizeTransaction() {
  const [tenant, id] = key();
  const result = await sequelize.transaction(async transaction => {
    const item = await Item.findOne({ where: { tenant, id }, lock: transaction.LOCK.UPDATE, transaction });
    item.set('doc.sequelize', { x: [1, null] });
    await item.increment('n', { transaction });
    await item.save({ transaction });
    return item.doc.sequelize;
  });
  book.add();
  return [result, await Item.count({ where: { tenant, id, doc: { [Op.contains]: { sequelize: { x: [1] } } } } })];
}

async function sequelizeJson() {
  const [tenant] = key();
  return [
    await Item.count({ where: { tenant, doc: { [Op.contains]: { tags: [9] } } } }),
    await Item.count({ where: { tenant, 'doc.n': 0 } }),
    (await Item.findAll({
      where: { tenant, id: { [Op.lt]: 4 } }, attributes: ['id', [sequelize.json('doc.tags'), 'tags']],
      order: [['id', 'DESC']], raw: true,
    })),
  ];
}

async function sequelizePeople() {
  const name = `p${number()}`;
  const [person, created] = await Person.findCreateFind({ where: { name }, defaults: { profile: { age: 3 }, tags: ['a'] } });
  const [, again] = await Person.findCreateFind({ where: { name } });
  await Visit.bulkCreate([{ what: { n: 1 }, PersonId: person.id }, { what: { n: 2 }, PersonId: person.id }]);
  const upserted = await Person.upsert({ name, profile: { age: 4 } }, { conflictFields: ['name'] });
  const found = await Person.findOne({ where: { name }, include: [{ model: Visit, as: 'visits', where: { what: { n: 2 } } }] });
  const told = await Person.create({ name }).catch(error => [error.name, error.parent.code]);
  const removed = await Person.destroy({ where: { name } });
  return [created, again, upserted[0].profile, found.visits.length, found.tags, told, removed,
    await Visit.count({ where: { PersonId: person.id } })];
}

/** Makes a function in PL/pgSQL for each call. */
async function sequelizeFindOrCreate() {
  const name = `f${number()}`;
  const [, created] = await Person.findOrCreate({ where: { name } });
  return [created, await Person.destroy({ where: { name } })];
}

async function typeormTransaction() {
  const [tenant, id] = key();
  const result = await source.transaction(async manager => {
    const item = await manager.findOne(ItemEntity, { where: { tenant, id }, lock: { mode: 'pessimistic_write' } });
    await manager.increment(ItemEntity, { tenant, id }, 'n', 1);
    await manager.update(ItemEntity, { tenant, id }, { doc: () => `jsonb_set(doc, '{typeorm}', '[true]')` });
    return [item.doc.tags[0], item.name.length > 4];
  });
  book.add();
  return result;
}

async function typeormBooks() {
  const title = `b${number()}`;
  const books = source.getRepository(Book);
  const saved = await books.save({ title, meta: { pages: 100, tags: ['x'] } });
  saved.meta = { ...saved.meta, pages: 101 };
  const again = await books.save(saved);
  const found = await books.createQueryBuilder('b').where("b.meta->>'pages' = :pages AND b.title = :title", { pages: '101', title }).getMany();
  const told = await books.insert({ title }).catch(error => error.driverError.code);
  await books.upsert([{ title, meta: { pages: 5 } }], ['title']);
  const skipped = await source.transaction(manager => manager.getRepository(Book).createQueryBuilder('b')
      .setLock('pessimistic_write').setOnLocked('skip_locked').where({ title }).getCount().catch(error => error.message));
  return [again.version, found.length, found[0].meta, told, (await books.findOneBy({ title })).meta, skipped,
    (await books.delete({ title })).affected];
}

(async () => {
  await source.initialize();
  await book.run([pgBlock, pgAtOnce, pgNamed, pgCursor, pgWrong, pgSeveral, pgAdvisory, knexTransaction, knexJson, knexOrders,
    knexStreams, knexJobs, knexJobsAtOnce, sequelizeTransaction, sequelizeJson, sequelizePeople, sequelizeFindOrCreate,
    typeormTransaction, typeormBooks]);
  await Promise.all([pool.end(), knex.destroy(), sequelize.close(), source.destroy()]);
  book.close();
})().catch(error => {
  console.error(error);
  process.exit(1);
});

import { randomUUID } from 'node:crypto'
import type { EventStore } from '@panoptes/engine/store'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { openPostgresStore, restorePostgresStore } from '../store/postgres/postgres-store.ts'
import { openTemplateFolder } from './folder.ts'
import { tempFolder, template, unwrap } from './make.test-kit.ts'
import { sharedShelf } from './storage.ts'
import { folderShelf } from './storage-folder.ts'

const url = usePostgres()
const client = new Client({ connectionString: url })
const schemas: string[] = []
const stores: EventStore[] = []

const newSchema = (): string => {
  const schema = `templates_${randomUUID().replaceAll('-', '')}`
  schemas.push(schema)
  return schema
}
const kept = (store: EventStore): EventStore => {
  stores.push(store)
  return store
}
/** Templates as a hub opens them. */
const hubOn = (store: EventStore, now: () => number = Date.now) => {
  const { shared } = store.templateUses
  if (shared === undefined) throw new Error('a database shares them')
  return openTemplateFolder({ ours: sharedShelf(shared), ofHermes: folderShelf(tempFolder()), now })
}
const storeIn = async (schema: string): Promise<EventStore> =>
  kept(unwrap(await openPostgresStore({ url, schema })))
const names = async (hub: ReturnType<typeof hubOn>) =>
  unwrap(await hub.all()).stored.map(({ template: { name } }) => name)

beforeAll(() => client.connect())
afterAll(async () => {
  for (const store of stores) await store.close()
  for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await client.end()
})

describe('templates of hubs that share a database', () => {
  it('are the same on every hub as soon as one was made or deleted', async () => {
    const schema = newSchema()
    const [here, there] = [hubOn(await storeIn(schema)), hubOn(await storeIn(schema))]
    expect(unwrap(await here.put(template({ name: 'Größe 日本' }), { force: false }))).toBe('Größe 日本.json')
    expect(unwrap(await there.all()).stored).toEqual([
      { template: template({ name: 'Größe 日本' }), place: 'panoptes', file: 'Größe 日本.json' },
    ])
    expect(await there.put(template({ name: 'größe 日本' }), { force: true })).toMatchObject({
      ok: false,
      message: expect.stringContaining('some systems treat the names as equal'),
    })
    unwrap(await there.remove('Größe 日本'))
    expect(await names(here)).toEqual([])
    unwrap(await here.restore('Größe 日本'))
    expect(await names(there)).toEqual(['Größe 日本'])
    expect(await here.remove('none')).toMatchObject({ ok: false, code: 'not_found' })
  })

  it('count every use, however many hubs give one at once', async () => {
    const schema = newSchema()
    const hubs = [hubOn(await storeIn(schema)), hubOn(await storeIn(schema))]
    for (const hub of hubs.slice(1)) unwrap(await hub.put(template(), { force: false }))
    const uses = await Promise.all(Array.from({ length: 20 }, (_, at) => hubs[at % 2]?.countUse('good')))
    expect(uses.every((used) => used?.ok === true)).toBe(true)
    for (const hub of hubs) expect(unwrap(await hub.all()).stored[0]?.template.usage_count).toBe(20)
  })

  it('of one name are made by one hub only', async () => {
    const schema = newSchema()
    const hubs = [hubOn(await storeIn(schema)), hubOn(await storeIn(schema))]
    const made = await Promise.all(hubs.map((hub) => hub.put(template(), { force: false })))
    expect(made.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await names(hubOn(await storeIn(schema)))).toEqual(['good'])
  })

  it('are kept for a day after they were overwritten or deleted', async () => {
    let now = 1_776_248_430_000
    const hub = hubOn(await storeIn(newSchema()), () => now)
    unwrap(await hub.put(template({ description: 'first' }), { force: false }))
    unwrap(await hub.put(template({ description: 'second' }), { force: true }))
    now += 1
    unwrap(await hub.remove('good'))
    unwrap(await hub.restore('good'))
    expect(unwrap(await hub.all()).stored.map(({ template: { description } }) => description)).toEqual([
      'second',
    ])
    now += 86_400_001
    unwrap(await hub.remove('good'))
    unwrap(await hub.restore('good'))
    unwrap(await hub.remove('good'))
    now += 1
    unwrap(await hub.put(template({ name: 'other' }), { force: false }))
    unwrap(await hub.remove('other'))
    expect(await hub.restore('good')).toEqual({ ok: true, value: null })
    expect(await hub.restore('first')).toMatchObject({ ok: false, code: 'not_found' })
  })

  it('are removed with their session, including deleted ones, without a trace', async () => {
    const schema = newSchema()
    const [here, there] = [hubOn(await storeIn(schema)), hubOn(await storeIn(schema))]
    for (const name of ['a', 'b'])
      unwrap(await here.put(template({ name, source_session_id: 'one' }), { force: false }))
    unwrap(await here.put(template({ name: 'c', source_session_id: 'two' }), { force: false }))
    unwrap(await here.remove('b'))
    expect(await there.forget([{ source: 'hermes', id: 'one' }])).toEqual({ ok: true, value: 2 })
    expect(await names(here)).toEqual(['c'])
    const { rows } = await client.query(`SELECT name FROM ${schema}.template_texts`)
    expect(rows).toEqual([{ name: 'c.json' }])
  })

  it('are included in a backup and restored with it', async () => {
    const store = await storeIn(newSchema())
    unwrap(await hubOn(store).put(template({ description: '日本' }), { force: false }))
    const file = `${tempFolder()}/copy.dump`
    unwrap(await store.backup(file))
    const again = kept(unwrap(await restorePostgresStore({ url, schema: newSchema() }, file)))
    expect(unwrap(await hubOn(again).all()).stored.map(({ template }) => template.description)).toEqual([
      '日本',
    ])
  })

  it('stay unchanged if a change cannot be stored', async () => {
    const schema = newSchema()
    const hub = hubOn(await storeIn(schema))
    unwrap(await hub.put(template(), { force: false }))
    await client.query(`ALTER TABLE ${schema}.template_texts ADD CHECK (text NOT LIKE '%spoiled%')`)
    const put = await hub.put(template({ description: 'spoiled' }), { force: true })
    expect(put.ok).toBe(false)
    expect(unwrap(await hub.all()).stored[0]?.template.description).toBe(template().description)
    expect(await hub.restore('good')).toMatchObject({ ok: false })
  })
})

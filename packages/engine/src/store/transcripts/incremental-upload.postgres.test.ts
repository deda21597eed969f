import type { TranscriptChange } from '@panoptes/schema'
import { beforeEach, expect, it } from 'vitest'
import type { EventStore } from '../port.ts'
import { openTranscripts } from './open.ts'
import type { Transcripts } from './port.ts'
import { listed, messageOf, SOURCE, sessionOf, telling, textsOf, value } from './transcripts.test-kit.ts'
import { useStored } from './use-stored.test-kit.ts'

const stored = useStored()
const { url, client } = stored
let schema = ''
let store: EventStore
let transcripts: Transcripts
beforeEach(() => {
  ;({ schema, store, transcripts } = stored)
})

const write = async (host: string, changes: readonly TranscriptChange[]) =>
  value(await transcripts.write(host, changes))
const runSql = async (sql: string) => (await client.query(`SET search_path TO ${schema}; ${sql}`)) as never
const readRows = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
  ((await runSql(sql)) as { rows: Record<string, unknown>[] }[])[1]?.rows ?? []

type Part = readonly [from: number, count: number] | string
const MISSED = { ended: 0, missed: [{ source: SOURCE, id: 'a' }] }

/** Builds an upload that refers to an earlier one. Its records are the agent and then the texts. */
function grown(name: string, of: string, parts: readonly Part[]): readonly TranscriptChange[] {
  const upload = { source: SOURCE, id: 'a', telling: name }
  let at = 0
  const lines = parts.map((part): TranscriptChange => {
    const line = { ...upload, at }
    at += typeof part === 'string' ? 1 : part[1]
    return typeof part === 'string'
      ? { type: 'messages', ...line, messages: [messageOf('a', part, part)] }
      : { type: 'same', ...line, of, from: part[0], count: part[1] }
  })
  return [
    { type: 'begin', ...upload, fingerprint: name },
    ...lines,
    { type: 'end', ...upload, at, session: sessionOf('a', { fingerprint: name }) },
  ]
}

it('continues an incremental upload in the rows of the complete one, and shows it when it ends', async () => {
  await write('mast', telling('a', ['one', 'two'], { name: 'first' }))
  const before = await readRows('SELECT ctid::text, telling FROM transcript_records ORDER BY number')
  for (const change of grown('second', 'first', [[0, 3], 'three', 'four'])) {
    expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two'])
    expect(await listed(transcripts)).toMatchObject([{ fingerprint: '1' }])
    for (let times = 0; times < 2; times += 1)
      expect(await write('mast', [change])).toMatchObject({ missed: [] })
  }
  expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two', 'three', 'four'])
  expect(await listed(transcripts)).toEqual([{ id: 'a', fingerprint: 'second', host: 'mast' }])
  expect(value(await transcripts.known(SOURCE, 'mast'))).toEqual(new Map([['a', 'second']]))
  const after = await readRows('SELECT ctid::text, telling FROM transcript_records ORDER BY number')
  expect(after.slice(0, 3)).toEqual(before)
  const found = value(await transcripts.find(SOURCE, 'a', ['four', 'a-0']))
  expect(found.map(({ id }) => id)).toEqual(['four', 'a-0'])
})

it('stores an incremental upload once however often it arrives, even after its base changed', async () => {
  const first = telling('a', ['one'], { name: 'first' })
  const second = grown('second', 'first', [[0, 2], 'two'])
  const third = grown('third', 'second', [[0, 3], 'three'])
  for (const changes of [first, second, first, third, second, third, first])
    expect(await write('mast', changes)).toMatchObject({ ended: 1, missed: [] })
  expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two', 'three'])
  expect(await readRows("SELECT name FROM transcript_tellings WHERE state = 'stands'")).toEqual([
    { name: 'third' },
  ])
})

it('accepts an incremental upload that changes, drops and adds records anywhere', async () => {
  await write('mast', telling('a', ['b', 'c', 'd', 'e'], { name: '1' }))
  await write('mast', grown('2', '1', [[0, 3], 'new', [3, 2]]))
  expect(await textsOf(transcripts, 'a')).toEqual(['b', 'c', 'new', 'd', 'e'])
  await write('mast', grown('3', '2', [[0, 1], [2, 1], [4, 2], 'end']))
  expect(await textsOf(transcripts, 'a')).toEqual(['c', 'd', 'e', 'end'])
  await write('mast', grown('4', '3', ['begin', [1, 3]]))
  expect(await textsOf(transcripts, 'a')).toEqual(['begin', 'c', 'd', 'e'])
  await write('mast', grown('5', '4', [[0, 2]]))
  expect(await textsOf(transcripts, 'a')).toEqual(['begin', 'c'])
  expect(
    await readRows('SELECT count(*)::int FROM transcript_records JOIN transcripts USING (telling)'),
  ).toEqual([{ count: 2 }])
})

it('lets readers finish a session unchanged while an upload grows it, and notifies them when rows are replaced', async () => {
  await write('mast', telling('a', Array(1_500).fill('old'), { name: '1' }))
  const begun = async () => {
    const pages = transcripts.read(SOURCE, 'a')[Symbol.asyncIterator]()
    await pages.next()
    return pages
  }
  const growing = await begun()
  await write('mast', grown('2', '1', [[0, 1_501], 'new']))
  const rest = []
  for (let next = await growing.next(); next.done !== true; next = await growing.next())
    rest.push(value(next.value))
  expect(rest.flatMap(({ records }) => records)).toHaveLength(501)
  expect(rest.at(-1)?.session?.fingerprint).toBe('1')
  const cut = await begun()
  await write('mast', grown('3', '2', [[0, 1_400], 'newer']))
  expect((await cut.next()).value).toMatchObject({ ok: false, code: 'busy' })
  expect(await textsOf(transcripts, 'a')).toHaveLength(1_400)
})

it('reports an incremental upload as missing when its base does not match', async () => {
  await write('mast', telling('a', ['one'], { name: 'first' }))
  expect(await write('mast', grown('x', 'unknown', [[0, 2], 'y']))).toMatchObject(MISSED)
  expect(await write('mast', grown('x', 'first', [[0, 3], 'y']))).toMatchObject(MISSED)
  expect(await write('mast', grown('z', 'first', ['y', [1, 2]]))).toMatchObject(MISSED)
  expect(await write('keel', grown('k', 'first', [[0, 2], 'y']))).toMatchObject(MISSED)
  await write('mast', telling('a', ['half'], { name: 'half' }).slice(0, 3))
  expect(await write('mast', grown('h', 'half', [[0, 2], 'y']))).toMatchObject(MISSED)
  expect(await textsOf(transcripts, 'a')).toEqual(['one'])
  await write('mast', [{ type: 'drop', source: SOURCE, id: 'a' }])
  expect(await listed(transcripts)).toEqual([])
})

it('reports an incremental upload as missing when an older hub removed its base, and accepts it in full', async () => {
  await write('mast', telling('a', ['one'], { name: 'first' }))
  const changes = grown('second', 'first', [[0, 2], 'two'])
  await write('mast', changes.slice(0, 3))
  await runSql("UPDATE transcript_tellings SET state = 'over', changed_at = 0 WHERE name = 'first'")
  const other = value(await openTranscripts({ url, schema }))
  value(await other.write('keel', telling('b', [])))
  await other.close()
  expect(await write('mast', changes.slice(3))).toMatchObject(MISSED)
  expect((await listed(transcripts)).map(({ id }) => id)).toEqual(['b'])
  expect(value(await transcripts.known(SOURCE, 'mast'))).toEqual(new Map())
  await write('mast', telling('a', ['one', 'two']))
  expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two'])
})

it('completes an incremental upload after another host uploaded the same session in between', async () => {
  await write('mast', telling('a', ['one'], { name: 'first' }))
  const changes = grown('second', 'first', [[0, 2], 'two'])
  await write('mast', changes.slice(0, 3))
  await write('keel', telling('a', ['of keel'], { name: 'of keel' }))
  await write('mast', changes.slice(3))
  expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two'])
  expect(await textsOf(transcripts, 'a@keel')).toEqual(['of keel'])
  expect(await readRows("SELECT name FROM transcript_tellings WHERE state = 'stands' ORDER BY name")).toEqual(
    [{ name: 'of keel' }, { name: 'second' }],
  )
})

it('completes incremental uploads of two hosts at once', async () => {
  const hosts = ['mast', 'keel']
  for (const host of hosts) await write(host, telling('a', [host], { name: `${host} 0` }))
  for (let round = 1; round <= 10; round += 1)
    await Promise.all(
      hosts.map((host) =>
        write(host, grown(`${host} ${round}`, `${host} ${round - 1}`, [[0, round + 1], `${host} ${round}`])),
      ),
    )
  for (const [id, host] of [
    ['a', 'mast'],
    ['a@keel', 'keel'],
  ] as const)
    expect(await textsOf(transcripts, id)).toEqual([
      host,
      ...Array.from({ length: 10 }, (_, n) => `${host} ${n + 1}`),
    ])
  expect(await readRows("SELECT host FROM transcript_tellings WHERE state = 'stands' ORDER BY host")).toEqual(
    [{ host: 'keel' }, { host: 'mast' }],
  )
})

it('presents an incremental upload to an older hub as an upload with missing lines', async () => {
  await write('mast', telling('a', ['one', 'two'], { name: 'first' }))
  await write('mast', grown('second', 'first', [[0, 3], 'three']).slice(0, 3))
  const half = await readRows("SELECT name, records::int FROM transcript_tellings WHERE state = 'half'")
  expect(half).toEqual([{ name: 'second', records: 1 }])
})

it('does not store an incremental upload of a session that was forgotten in between', async () => {
  await write('mast', telling('a', ['secret'], { name: 'first' }))
  const changes = grown('second', 'first', [[0, 2], 'two'])
  await write('mast', changes.slice(0, 3))
  const gone = [{ source: SOURCE, id: 'a' }]
  value(await store.forgetting.begin(gone))
  value(await store.forgetting.remove(gone))
  value(await store.forgetting.end(gone))
  expect(await write('mast', changes)).toMatchObject({ ended: 0, forgotten: gone })
  expect(await readRows('SELECT * FROM transcript_records')).toEqual([])
})

it('rejects an upload whose few lines expand into very many records', async () => {
  await write('mast', telling('a', ['one'], { name: 'first' }))
  const lines = grown('x', 'first', [
    [0, 400_000],
    [0, 400_000],
  ])
  expect(await transcripts.write('mast', lines)).toMatchObject({ ok: false, code: 'invalid' })
})

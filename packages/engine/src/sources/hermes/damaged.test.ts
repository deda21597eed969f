import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { message, session } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { all, messagesOf, sessionOf } from '../conformance/records.ts'
import { listAll, makeState, readOne, tempHome } from './hermes.test-kit.ts'
import { hermesSource } from './index.ts'

it('treats absurd numbers and times as absent', async () => {
  const home = tempHome()
  const state = makeState(home)
  state.session({
    id: 's',
    started_at: 9e300,
    ended_at: 'never',
    input_tokens: 9_223_372_036_854_775_807n,
    output_tokens: -5,
    cache_read_tokens: 7,
    actual_cost_usd: Number.POSITIVE_INFINITY,
    estimated_cost_usd: 'free',
    message_count: 9_223_372_036_854_775_807n,
  })
  state.message({ session_id: 's', content: 'a', timestamp: 1e18 })
  state.message({ id: 9_223_372_036_854_775_806n, session_id: 's', content: 'b', timestamp: 'soon' })
  const records = await readOne(hermesSource(home), 's')
  expect(messagesOf(records).map(({ id, ts }) => [id, ts])).toEqual([
    ['1', null],
    ['9223372036854775806', null],
  ])
  expect(sessionOf(records)).toMatchObject({
    started_at: null,
    ended_at: null,
    last_at: null,
    usage: { input: null, output: null, cache_read: 7 },
    cost_micro_usd: null,
  })
})

it('reports an unknown role and a text that is too long', async () => {
  const home = tempHome()
  const state = makeState(home)
  state.session({ id: 's' })
  state.message({ session_id: 's', role: 'oracle', content: 'a' })
  state.db.exec(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', zeroblob(33554433), 1790000000)",
  )
  state.message({ session_id: 's', content: 'c' })
  const records = await readOne(hermesSource(home), 's')
  expect(messagesOf(records)).toHaveLength(1)
  expect(records.flatMap((record) => (record.kind === 'skipped' ? [record.reason] : []))).toEqual([
    'has an unknown role',
    'is too long to read',
  ])
})

const value = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 12 }),
  // SQLite stores NaN as null.
  fc.double({ noNaN: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.json().map((json) => `\0json:${json}`),
  fc.json(),
)
const SESSION_FIELDS = ['source', 'model', 'model_config', 'ended_at', 'title', 'cwd', 'input_tokens']
const MESSAGE_FIELDS = [
  'content',
  'tool_calls',
  'tool_call_id',
  'tool_name',
  'timestamp',
  'reasoning_details',
]

it('returns only valid records, whatever the columns contain', async () => {
  const row = fc.array(value, { minLength: 7, maxLength: 7 })
  const roles = fc.constantFrom('user', 'assistant', 'tool', 'system', 'session_meta')
  const home = tempHome()
  const state = makeState(home)
  state.db.exec('DROP INDEX idx_sessions_title_unique')
  const source = hermesSource(home)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(row, fc.array(fc.tuple(roles, row), { maxLength: 5 }), async (own, rows) => {
      runs += 1
      const id = `s${runs}`
      // Some columns do not allow null.
      const named = (names: readonly string[], values: typeof own) =>
        Object.fromEntries(names.map((name, at) => [name, values[at] ?? 0]))
      state.session({ id, ...named(SESSION_FIELDS, own) })
      for (const [role, values] of rows)
        state.message({ session_id: id, ...named(MESSAGE_FIELDS, values), role })
      const records = await readOne(source, id)
      for (const each of messagesOf(records)) message.parse(each)
      session.parse(sessionOf(records))
    }),
    { numRuns: 100 },
  )
})

it('skips an empty database and reports a file that is not a database', async () => {
  const home = tempHome()
  writeFileSync(join(home, 'state.db'), '')
  mkdirSync(join(home, 'profiles', 'odd'), { recursive: true })
  expect(await listAll(hermesSource(home))).toEqual([])
  writeFileSync(
    join(home, 'profiles', 'odd', 'state.db'),
    'no database at all, but long enough for a header'.repeat(40),
  )
  makeState(home).session({ id: 'one' })
  const records = await all(hermesSource(home).list())
  expect(records).toEqual([
    expect.objectContaining({ kind: 'listed', id: 'one' }),
    { kind: 'failed', failure: expect.objectContaining({ code: 'corrupt' }) },
  ])
})

it('fails with a result when the file is truncated', async () => {
  const home = tempHome()
  const state = makeState(home)
  state.session({ id: 's' })
  for (let n = 0; n < 200; n += 1) state.message({ session_id: 's', content: 'x'.repeat(2_000) })
  const source = hermesSource(home)
  const [listed] = await listAll(source)
  state.db.close()
  truncateSync(state.path, 200_000)
  const records = listed === undefined ? [] : await all(source.read(listed))
  expect(records.at(-1)).toMatchObject({ kind: 'failed', failure: { code: 'corrupt' } })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TranscriptChange } from '@panoptes/schema'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Ledger } from '../port.ts'
import { restorePostgresLedger } from '../postgres/ledger.ts'
import { openTranscripts } from './open.ts'
import type { Transcripts } from './port.ts'
import {
  listed,
  messageOf,
  recordsOf,
  SOURCE,
  sessionOf,
  telling,
  textsOf,
  value,
} from './transcripts.test-kit.ts'
import { useStored } from './use-stored.test-kit.ts'

const stored = useStored()
const { url, client } = stored
let schema = ''
let ledger: Ledger
let transcripts: Transcripts
beforeEach(() => {
  ;({ schema, ledger, transcripts } = stored)
})

const write = async (host: string, changes: readonly TranscriptChange[]) =>
  value(await transcripts.write(host, changes))
const rows = async (table: string): Promise<number> =>
  Number((await client.query(`SELECT count(*) FROM ${schema}.${table}`)).rows[0].count)

describe('a session that is told', () => {
  it('is there from its end on, and not before', async () => {
    const changes = telling('a', ['one', 'two'])
    for (const change of changes) {
      expect(await listed(transcripts)).toEqual([])
      await write('mast', [change])
    }
    expect(await listed(transcripts)).toEqual([{ id: 'a', fingerprint: '1', host: 'mast' }])
    expect(await recordsOf(transcripts, 'a')).toEqual([
      { kind: 'agent', agent: expect.objectContaining({ id: 'main' }) },
      { kind: 'message', message: messageOf('a', 'a-0', 'one') },
      { kind: 'message', message: messageOf('a', 'a-1', 'two') },
      { kind: 'session', session: sessionOf('a') },
    ])
    expect(value(await transcripts.known(SOURCE, 'mast'))).toEqual(new Map([['a', '1']]))
    expect(value(await transcripts.known(SOURCE, 'keel'))).toEqual(new Map())
  })

  it('takes the place of what was known only at its end', async () => {
    await write('mast', telling('a', ['old']))
    const changes = telling('a', ['new', 'newer'], { fingerprint: '2' })
    await write('mast', changes.slice(0, -1))
    expect(await textsOf(transcripts, 'a')).toEqual(['old'])
    await write('mast', changes.slice(-1))
    expect(await textsOf(transcripts, 'a')).toEqual(['new', 'newer'])
    expect(await listed(transcripts)).toEqual([{ id: 'a', fingerprint: '2', host: 'mast' }])
  })

  it('counts from its last beginning on', async () => {
    await write('mast', telling('a', ['half', 'told']).slice(0, 3))
    await write('mast', [...telling('a', ['half']).slice(0, 3), ...telling('a', ['whole'])])
    expect(await textsOf(transcripts, 'a')).toEqual(['whole'])
    expect(await rows('transcript_records')).toBe(2)
  })

  it('is the same however often its parts come', async () => {
    const changes = telling('a', ['one', 'two', 'three'])
    const parts = [changes.slice(0, 3), changes.slice(2, 4), changes.slice(1, 5), changes.slice(4)]
    for (const part of parts) for (let times = 0; times < 3; times += 1) await write('mast', part)
    expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two', 'three'])
    const again = await write('mast', changes)
    expect(again).toEqual({ ended: 1, dropped: 0, missed: [], forgotten: [] })
    expect(await rows('transcript_records')).toBe(4)
    expect(await rows('transcript_tellings')).toBe(1)
  })

  it('is not ended while a part of it is missing, and that is said', async () => {
    const changes = telling('a', ['one', 'two', 'three'])
    const reply = await write('mast', [...changes.slice(0, 3), ...changes.slice(4)])
    expect(reply).toMatchObject({ ended: 0, missed: [{ source: SOURCE, id: 'a' }] })
    expect(await listed(transcripts)).toEqual([])
    expect(await write('mast', telling('b', ['x']).slice(1))).toMatchObject({
      missed: [{ source: SOURCE, id: 'b' }],
    })
  })

  it('comes back as it was given, whatever is in it', async () => {
    const texts = ['a\0b', 'half \ud83d of a pair', '日本語 🎉', '\\u0000 \\n \t', '']
    const id = `odd \0 \ud83d ${'x'.repeat(900)}`
    await write('host \0', telling(id, texts, { fingerprint: 'f\0', about: { title: '\0\ud83d' } }))
    expect(await textsOf(transcripts, id)).toEqual(texts)
    expect(await listed(transcripts)).toEqual([{ id, fingerprint: 'f\0', host: 'host \0' }])
    expect((await recordsOf(transcripts, id)).at(-1)).toMatchObject({ session: { id, title: '\0\ud83d' } })
    expect(value(await transcripts.known(SOURCE, 'host \0'))).toEqual(new Map([[id, 'f\0']]))
    const found = value(await transcripts.find(SOURCE, id, [`${id}-1`, 'none', `${id}-0`]))
    expect(found.map((message) => message.content[0]?.text)).toEqual([texts[1], texts[0]])
  })

  it('is given to its end while it is told anew', async () => {
    await write('mast', telling('a', Array(3_000).fill('old')))
    const pages = transcripts.read(SOURCE, 'a')[Symbol.asyncIterator]()
    await pages.next()
    await write('mast', telling('a', ['new'], { fingerprint: '2' }))
    const texts: unknown[] = []
    for (let next = await pages.next(); next.done !== true; next = await pages.next())
      texts.push(
        ...value(next.value).records.map(
          (record) => record.kind === 'message' && record.message.content[0]?.text,
        ),
      )
    expect(texts.length).toBeGreaterThan(1_900)
    expect(new Set(texts)).toEqual(new Set(['old']))
    expect(await textsOf(transcripts, 'a')).toEqual(['new'])
  })

  it('goes when its computer has it no more', async () => {
    await write('mast', [...telling('a', ['one']), ...telling('b', ['two'])])
    expect(await write('mast', [{ type: 'drop', source: SOURCE, id: 'a' }])).toMatchObject({ dropped: 1 })
    expect((await listed(transcripts)).map(({ id }) => id)).toEqual(['b'])
    const gone = []
    for await (const page of transcripts.read(SOURCE, 'a')) gone.push(page)
    expect(gone).toMatchObject([{ ok: false, code: 'not_found' }])
    expect(value(await transcripts.known(SOURCE, 'mast'))).toEqual(new Map([['b', '1']]))
  })
})

describe('of two hosts that tell the same session', () => {
  const hosts = async () => (await listed(transcripts)).map(({ host }) => host)

  it('the one that has told last stands, and neither has to tell it again', async () => {
    await write('mast', telling('a', ['of mast'], { fingerprint: 'm' }))
    await write('keel', telling('a', ['of keel'], { fingerprint: 'k' }))
    expect(await hosts()).toEqual(['keel'])
    expect(await textsOf(transcripts, 'a')).toEqual(['of keel'])
    expect(value(await transcripts.known(SOURCE, 'mast')).get('a')).toBe('m')
    expect(value(await transcripts.known(SOURCE, 'keel')).get('a')).toBe('k')
  })

  it('the other goes on with what it has begun', async () => {
    const ofMast = telling('a', ['one', 'two'])
    await write('mast', ofMast.slice(0, 3))
    await write('keel', telling('a', ['of keel']))
    expect(await hosts()).toEqual(['keel'])
    await write('mast', ofMast.slice(3))
    expect(await hosts()).toEqual(['mast'])
    expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two'])
  })

  it('the other tells it again after the one that stood has it no more', async () => {
    await write('mast', telling('a', ['of mast']))
    await write('keel', telling('a', ['of keel']))
    await write('mast', [{ type: 'drop', source: SOURCE, id: 'a' }])
    expect(await hosts()).toEqual(['keel'])
    await write('mast', telling('a', ['of mast']))
    await write('mast', [{ type: 'drop', source: SOURCE, id: 'a' }])
    expect(await hosts()).toEqual([])
    expect(value(await transcripts.known(SOURCE, 'keel'))).toEqual(new Map())
  })

  it('one stands, and nothing is left of the other, when they tell it at once', async () => {
    for (let round = 0; round < 5; round += 1)
      await Promise.all(
        ['mast', 'keel', 'mast'].map((host) =>
          write(host, telling('a', [host, host], { fingerprint: host })),
        ),
      )
    const [one] = await listed(transcripts)
    expect(await textsOf(transcripts, 'a')).toEqual([one?.host, one?.host])
    const { rows: standing } = await client.query(
      `SELECT host FROM ${schema}.transcript_tellings WHERE state = 'stands'`,
    )
    expect(standing).toEqual([{ host: one?.host }])
  })
})

describe('stored sessions', () => {
  it('are listed newest first, page after page', async () => {
    const ids = Array.from({ length: 2_500 }, (_, n) => `s${n}`)
    for (let at = 0; at < ids.length; at += 500)
      await write(
        'mast',
        ids.slice(at, at + 500).flatMap((id, n) => telling(id, [], { about: { last_at: (at + n) >> 1 } })),
      )
    const found = await listed(transcripts)
    expect(found).toHaveLength(2_500)
    expect(new Set(found.map(({ id }) => id)).size).toBe(2_500)
    const times = found.map(({ id }) => Number(id.slice(1)) >> 1)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  })

  it('of a hundred thousand messages are told and read in bounded pages', async () => {
    const of = { source: SOURCE, id: 'huge', telling: 'huge' }
    const changes = telling('huge', [], { name: 'huge' })
    await write('mast', changes.slice(0, 2))
    const text = 'x'.repeat(300)
    for (let at = 0; at < 100_000; at += 1_000)
      await write('mast', [
        {
          type: 'messages',
          ...of,
          at: at + 1,
          messages: Array.from({ length: 1_000 }, (_, n) => messageOf('huge', `m${at + n}`, text)),
        },
      ])
    await write('mast', [{ type: 'end', ...of, at: 100_001, session: sessionOf('huge') }])
    let read = 0
    let largest = 0
    for await (const page of transcripts.read(SOURCE, 'huge')) {
      const { records } = value(page)
      read += records.length
      largest = Math.max(largest, records.length)
    }
    expect(read).toBe(100_001)
    expect(largest).toBeLessThanOrEqual(1_000)
    const found = value(await transcripts.find(SOURCE, 'huge', ['m99999', 'm0']))
    expect(found.map(({ id }) => id)).toEqual(['m99999', 'm0'])
  })

  it('are given in small pages where messages are large', async () => {
    await write('mast', telling('a', Array(12).fill('y'.repeat(1_000_000))))
    const sizes = []
    for await (const page of transcripts.read(SOURCE, 'a')) sizes.push(value(page).records.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(13)
  })

  it('tell of their changes, to whoever watches', async () => {
    const other = value(await openTranscripts({ url, schema }))
    const changed = vi.fn()
    const end = other.watch(changed)
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith(undefined), 30_000)
    changed.mockClear()
    const changes = telling('a', ['x'])
    await write('mast', changes.slice(0, 2))
    await write('mast', changes.slice(2))
    await vi.waitFor(() => expect(changed.mock.calls).toEqual([[SOURCE]]), 30_000)
    changed.mockClear()
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'panoptes transcripts' AND query = $1`,
      [`LISTEN ${schema}_transcripts`],
    )
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith(undefined), 30_000)
    end()
    changed.mockClear()
    await write('mast', telling('b', ['x']))
    await new Promise((wait) => setTimeout(wait, 200))
    expect(changed).not.toHaveBeenCalled()
    await other.close()
  })

  it('are taken out and never stored again when they are forgotten', async () => {
    const half = telling('a', ['again', 'and again'])
    await write('mast', [...telling('a', ['secret words']), ...telling('b', ['stays'])])
    await write('keel', half.slice(0, 3))
    const gone = [{ source: SOURCE, id: 'a' }]
    value(await ledger.forgetting.begin(gone))
    const removed = value(await ledger.forgetting.remove(gone))
    value(await ledger.forgetting.end(gone))
    expect(removed).toContainEqual({ from: 'ledger', what: 'transcripts', count: 1 })
    expect(await write('keel', half.slice(3))).toMatchObject({ ended: 0, forgotten: gone })
    expect(await write('mast', telling('a', ['secret words']))).toMatchObject({ forgotten: gone })
    expect((await listed(transcripts)).map(({ id }) => id)).toEqual(['b'])
    expect(value(await transcripts.known(SOURCE, 'mast'))).toEqual(new Map([['b', '1']]))
    expect(await rows('transcript_records')).toBe(2)
  })

  it('are in backups', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'panoptes-told-'))
    const into = `${schema}_copy`.slice(0, 60)
    const half = telling('b', ['one\0', 'two'])
    await write('mast', [...telling('a', ['kept\0', '日本']), ...half.slice(0, 3)])
    value(await ledger.backup(join(folder, 'all.dump')))
    const copy = value(await restorePostgresLedger({ url, schema: into }, join(folder, 'all.dump')))
    const restored = value(await openTranscripts({ url, schema: into }))
    expect(await textsOf(restored, 'a')).toEqual(['kept\0', '日本'])
    value(await restored.write('mast', half.slice(3)))
    expect(await textsOf(restored, 'b')).toEqual(['one\0', 'two'])
    await restored.close()
    await copy.close()
    await client.query(`DROP SCHEMA ${into} CASCADE`)
    rmSync(folder, { recursive: true })
  })

  it('are tidied away as fast as others take their place', async () => {
    const ids = Array.from({ length: 45 }, (_, n) => `s${n}`)
    for (const text of ['old', 'new'])
      await write(
        'mast',
        ids.flatMap((id) => telling(id, [text])),
      )
    await client.query(`UPDATE ${schema}.transcript_tellings SET changed_at = 0`)
    const later = value(await openTranscripts({ url, schema }))
    await vi.waitFor(async () => {
      value(await later.write('mast', []))
      expect(await rows('transcript_tellings')).toBe(45)
    }, 30_000)
    await later.close()
  })

  it('that another telling took the place of, or that were never ended, are tidied away', async () => {
    await write('mast', [...telling('a', ['old']), ...telling('b', ['half']).slice(0, 3)])
    await write('mast', telling('a', ['new']))
    await client.query(`UPDATE ${schema}.transcript_tellings SET changed_at = changed_at - 100000000`)
    const later = value(await openTranscripts({ url, schema }))
    value(await later.write('mast', telling('c', [])))
    await later.close()
    expect(await rows('transcript_tellings')).toBe(2)
    expect(await textsOf(transcripts, 'a')).toEqual(['new'])
  })
})

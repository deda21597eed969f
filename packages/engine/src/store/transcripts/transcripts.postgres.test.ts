import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause } from '@panoptes/engine/abortable'
import { formatUploaderId, type TranscriptChange } from '@panoptes/schema'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventStore } from '../port.ts'
import { openDatabase } from '../postgres/database.ts'
import { migrate, migrations } from '../postgres/migrations.ts'
import { restorePostgresStore } from '../postgres/postgres-store.ts'
import { openTranscripts } from './open.ts'
import type { Transcripts } from './port.ts'
import { transcriptCopies } from './tables.ts'
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
let store: EventStore
let transcripts: Transcripts
beforeEach(() => {
  ;({ schema, store, transcripts } = stored)
})

const write = async (host: string, changes: readonly TranscriptChange[]) =>
  value(await transcripts.write(host, changes))
const rows = async (table: string): Promise<number> =>
  Number((await client.query(`SELECT count(*) FROM ${schema}.${table}`)).rows[0].count)

describe('uploaded session', () => {
  it('is visible from its end on, and not before', async () => {
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

  it('replaces the previous version only when it ends', async () => {
    await write('mast', telling('a', ['old']))
    const changes = telling('a', ['new', 'newer'], { fingerprint: '2' })
    await write('mast', changes.slice(0, -1))
    expect(await textsOf(transcripts, 'a')).toEqual(['old'])
    await write('mast', changes.slice(-1))
    expect(await textsOf(transcripts, 'a')).toEqual(['new', 'newer'])
    expect(await listed(transcripts)).toEqual([{ id: 'a', fingerprint: '2', host: 'mast' }])
  })

  it('contains only what was sent since its upload last began', async () => {
    await write('mast', telling('a', ['half', 'told']).slice(0, 3))
    await write('mast', [...telling('a', ['half']).slice(0, 3), ...telling('a', ['whole'])])
    expect(await textsOf(transcripts, 'a')).toEqual(['whole'])
    expect(await rows('transcript_records')).toBe(2)
  })

  it('is stored once however often its parts arrive', async () => {
    const changes = telling('a', ['one', 'two', 'three'])
    const parts = [changes.slice(0, 3), changes.slice(2, 4), changes.slice(1, 5), changes.slice(4)]
    for (const part of parts) for (let times = 0; times < 3; times += 1) await write('mast', part)
    expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two', 'three'])
    const again = await write('mast', changes)
    expect(again).toEqual({ ended: 1, dropped: 0, missed: [], forgotten: [] })
    expect(await rows('transcript_records')).toBe(4)
    expect(await rows('transcript_tellings')).toBe(1)
  })

  it('does not end while a part of it is missing, and reports that', async () => {
    const changes = telling('a', ['one', 'two', 'three'])
    const reply = await write('mast', [...changes.slice(0, 3), ...changes.slice(4)])
    expect(reply).toMatchObject({ ended: 0, missed: [{ source: SOURCE, id: 'a' }] })
    expect(await listed(transcripts)).toEqual([])
    expect(await write('mast', telling('b', ['x']).slice(1))).toMatchObject({
      missed: [{ source: SOURCE, id: 'b' }],
    })
  })

  it('is returned unchanged, whatever it contains', async () => {
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

  it('can be read to its end while it is uploaded anew', async () => {
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

  it('belongs to the id it was uploaded under, whatever session its lines name', async () => {
    const changes = telling('mine', ['one'], { about: { id: 'another', source: 'hermes' } }).map((change) =>
      change.type === 'messages'
        ? { ...change, messages: change.messages.map((each) => ({ ...each, session_id: 'another' })) }
        : change,
    )
    await write('mast', changes)
    expect((await recordsOf(transcripts, 'mine')).slice(1)).toMatchObject([
      { message: { session_id: 'mine' } },
      { session: { id: 'mine', source: SOURCE } },
    ])
    expect(value(await transcripts.find(SOURCE, 'mine', ['mine-0']))).toMatchObject([{ session_id: 'mine' }])
  })

  it('is removed when its computer no longer has it', async () => {
    await write('mast', [...telling('a', ['one']), ...telling('b', ['two'])])
    expect(await write('mast', [{ type: 'drop', source: SOURCE, id: 'a' }])).toMatchObject({ dropped: 1 })
    expect((await listed(transcripts)).map(({ id }) => id)).toEqual(['b'])
    const gone = []
    for await (const page of transcripts.read(SOURCE, 'a')) gone.push(page)
    expect(gone).toMatchObject([{ ok: false, code: 'not_found' }])
    expect(value(await transcripts.known(SOURCE, 'mast'))).toEqual(new Map([['b', '1']]))
  })
})

describe('two computers that upload the same session', () => {
  const shown = async () => (await listed(transcripts)).map(({ id, host }) => `${id} of ${host}`).sort()
  const drop = { type: 'drop', source: SOURCE, id: 'a' } as const
  const mine = formatUploaderId('keel', 'b2b2b2b2b2b2b2b2')

  it('keep separate uploads: the first under the session id and the other under a name of its own', async () => {
    await write('mast', telling('a', ['of mast'], { fingerprint: 'm' }))
    const reply = await write('keel', telling('a', ['of keel'], { fingerprint: 'k' }))
    expect(reply.copies).toEqual([{ source: SOURCE, id: 'a@keel' }])
    expect(await shown()).toEqual(['a of mast', 'a@keel of keel'])
    expect(await textsOf(transcripts, 'a')).toEqual(['of mast'])
    expect(await textsOf(transcripts, 'a@keel')).toEqual(['of keel'])
    for (const [host, fingerprint] of [
      ['mast', 'm'],
      ['keel', 'k'],
    ] as const)
      expect(value(await transcripts.known(SOURCE, host))).toEqual(new Map([['a', fingerprint]]))
    const [message] = value(await transcripts.find(SOURCE, 'a@keel', ['a-0']))
    expect(message).toMatchObject({ session_id: 'a@keel', content: [{ text: 'of keel' }] })
  })

  it('each continue only their own upload', async () => {
    const ofMast = telling('a', ['one', 'two'])
    await write('mast', ofMast.slice(0, 3))
    await write('keel', telling('a', ['of keel']))
    await write('mast', ofMast.slice(3))
    expect(await shown()).toEqual(['a of keel', 'a@mast of mast'])
    const again = await write('mast', telling('a', ['one', 'two', 'three']))
    expect(again.copies).toBeUndefined()
    await write('keel', telling('a', ['of keel', 'more']))
    expect(await textsOf(transcripts, 'a')).toEqual(['of keel', 'more'])
    expect(await textsOf(transcripts, 'a@mast')).toEqual(['one', 'two', 'three'])
  })

  it('each delete only their own upload', async () => {
    await write('mast', telling('a', ['of mast']))
    await write('keel', telling('a', ['of keel']))
    await write('stern', [drop])
    expect(await shown()).toEqual(['a of mast', 'a@keel of keel'])
    expect(await write('keel', [drop])).toMatchObject({ dropped: 1 })
    expect(await textsOf(transcripts, 'a')).toEqual(['of mast'])
    expect(value(await transcripts.known(SOURCE, 'mast')).get('a')).toBe('1')
    await write('keel', telling('a', ['of keel']))
    await write('mast', [drop])
    expect(await shown()).toEqual(['a@keel of keel'])
    expect(await textsOf(transcripts, 'a@keel')).toEqual(['of keel'])
    await write('mast', telling('a', ['back']))
    expect(await shown()).toEqual(['a of mast', 'a@keel of keel'])
  })

  it('show in a copy only what the first upload lacks, as a branch, so that no message appears twice', async () => {
    await write('mast', telling('a', ['one', 'two'], { about: { usage: null, title: 'T' } }))
    const whole = { usage: null, cost_micro_usd: 5, title: 'T' }
    await write('keel', telling('a', ['one', 'two', 'three'], { fingerprint: 'k', about: whole }))
    expect(await textsOf(transcripts, 'a')).toEqual(['one', 'two'])
    expect(await textsOf(transcripts, 'a@keel')).toEqual(['three'])
    const records = await recordsOf(transcripts, 'a@keel')
    expect(records[0]).toMatchObject({ kind: 'agent', agent: { id: 'main' } })
    expect(records.at(-1)).toMatchObject({
      session: { id: 'a@keel', parent_id: 'a', lineage: 'branch', title: 'T', cost_micro_usd: null },
    })
    const before = (await listed(transcripts)).find(({ id }) => id === 'a@keel')
    expect(before?.own).toBe('k')
    await write('mast', telling('a', ['one'], { fingerprint: '2' }))
    const after = (await listed(transcripts)).find(({ id }) => id === 'a@keel')
    expect(after?.fingerprint).not.toBe(before?.fingerprint)
    expect(await textsOf(transcripts, 'a@keel')).toEqual(['two', 'three'])
    await write('mast', [drop])
    expect(await textsOf(transcripts, 'a@keel')).toEqual(['one', 'two', 'three'])
    expect((await recordsOf(transcripts, 'a@keel')).at(-1)).toMatchObject({
      session: { id: 'a@keel', parent_id: null, lineage: 'root', cost_micro_usd: 5 },
    })
  })

  it('hide a copy without anything new, until the first is gone', async () => {
    await write('mast', telling('a', ['one', 'two']))
    await write(mine, telling('a', ['one']))
    expect(await shown()).toEqual(['a of mast'])
    expect(value(await transcripts.known(SOURCE, mine)).get('a')).toBe('1')
    await write('mast', [drop])
    expect(await shown()).toEqual(['a@keel of keel'])
    expect(await textsOf(transcripts, 'a@keel')).toEqual(['one'])
  })

  it('have separate names for homes of one computer, whatever another computer calls its sessions', async () => {
    await write('mast', telling('a', ['of mast']))
    await write('eve', [...telling('a@keel', ['made up']), ...telling('a@keel.b2b2b2b2', ['made up'])])
    await write(mine, telling('a', ['of keel']))
    await write(formatUploaderId('keel', 'c3'), telling('a', ['of the other home']))
    expect(await textsOf(transcripts, 'a@keel')).toEqual(['made up'])
    expect(await textsOf(transcripts, 'a@keel.b2b2b2b2-2')).toEqual(['of keel'])
    expect(await textsOf(transcripts, 'a@keel.c3')).toEqual(['of the other home'])
  })

  it('get one original and one copy when they upload at once', async () => {
    for (let round = 0; round < 5; round += 1)
      await Promise.all(
        ['mast', 'keel', 'mast'].map((host) =>
          write(host, telling('a', [host, host], { fingerprint: host })),
        ),
      )
    const found = await listed(transcripts)
    expect(found.map(({ host }) => host).sort()).toEqual(['keel', 'mast'])
    for (const { id, host } of found) expect(await textsOf(transcripts, id)).toEqual([host, host])
    const { rows: standing } = await client.query(
      `SELECT host FROM ${schema}.transcript_tellings WHERE state = 'stands' ORDER BY host`,
    )
    expect(standing).toEqual([{ host: 'keel' }, { host: 'mast' }])
  })

  const forget = async (id: string) => {
    const gone = [{ source: SOURCE, id }]
    value(await store.forgetting.begin(gone))
    const all = value(await store.forgetting.pending())
    value(await store.forgetting.remove(all))
    value(await store.forgetting.end(all))
    return all.map((each) => each.id)
  }

  it('lose all copies when the session is forgotten, and none comes back', async () => {
    for (const host of ['mast', 'keel', mine]) await write(host, telling('a', ['words', host]))
    expect((await forget('a')).sort()).toEqual(['a', 'a@keel', 'a@keel.b2b2b2b2'])
    for (const host of ['mast', 'keel', mine])
      expect(await write(host, telling('a', ['words']))).toMatchObject({ forgotten: [{ id: 'a' }] })
    expect([await listed(transcripts), await rows('transcript_records')]).toEqual([[], 0])
  })

  it('lose a single copy that is forgotten by its name, which does not return under another', async () => {
    await write('mast', telling('a', ['of mast']))
    await write('keel', telling('a', ['of keel']))
    expect(await forget('a@keel')).toEqual(['a@keel'])
    expect(await shown()).toEqual(['a of mast'])
    await write('mast', [drop])
    expect(await write('keel', telling('a', ['of keel']))).toMatchObject({ forgotten: [{ id: 'a' }] })
    await write('mast', telling('a', ['of mast']))
    expect(await shown()).toEqual(['a of mast'])
  })

  it('keep what an earlier version stored with its owner, while the other computers upload again', async () => {
    const old = `${schema}_old`.slice(0, 60)
    const database = openDatabase(url, old)
    await migrate(database, { to: migrations.indexOf(transcriptCopies) })
    await client.query(`
      SET search_path = ${old};
      INSERT INTO transcript_tellings (number, source, id, host, name, state, records, changed_at, head)
        VALUES (1000, '${SOURCE}', 'a', 'keel', 't', 'stands', 1, 0, '{"id":"a","host":"keel","fingerprint":"k"}');
      INSERT INTO transcripts VALUES ('${SOURCE}', 'a', 1000, 0, '{"id":"a","host":"keel","fingerprint":"k"}', '{}');
      INSERT INTO transcripts_told VALUES ('${SOURCE}', 'mast', 'a', '{"id":"a","fingerprint":"m"}'),
        ('${SOURCE}', 'keel', 'a', '{"id":"a","fingerprint":"k"}');
      RESET search_path`)
    const upgraded = value(await openTranscripts({ url, schema: old }))
    expect(value(await upgraded.known(SOURCE, 'keel'))).toEqual(new Map([['a', 'k']]))
    expect(value(await upgraded.known(SOURCE, 'mast'))).toEqual(new Map())
    value(await upgraded.write('mast', telling('a', ['of mast'])))
    expect((await listed(upgraded)).map(({ id, host }) => [id, host]).sort()).toEqual([
      ['a', 'keel'],
      ['a@mast', 'mast'],
    ])
    await upgraded.close()
    await database.close()
    await client.query(`DROP SCHEMA ${old} CASCADE`)
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

  it('are written and read in bounded pages with a hundred thousand messages', async () => {
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

  it('are returned in small pages when messages are large', async () => {
    await write('mast', telling('a', Array(12).fill('y'.repeat(1_000_000))))
    const sizes = []
    for await (const page of transcripts.read(SOURCE, 'a')) sizes.push(value(page).records.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(13)
  })

  it('notify watchers of their changes', async () => {
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
    await pause(200)
    expect(changed).not.toHaveBeenCalled()
    await other.close()
  })

  it('are removed and never stored again when they are forgotten', async () => {
    const half = telling('a', ['again', 'and again'])
    await write('mast', [...telling('a', ['secret words']), ...telling('b', ['stays'])])
    await write('keel', half.slice(0, 3))
    const gone = [{ source: SOURCE, id: 'a' }]
    value(await store.forgetting.begin(gone))
    const removed = value(await store.forgetting.remove(gone))
    value(await store.forgetting.end(gone))
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
    value(await store.backup(join(folder, 'all.dump')))
    const copy = value(await restorePostgresStore({ url, schema: into }, join(folder, 'all.dump')))
    const restored = value(await openTranscripts({ url, schema: into }))
    expect(await textsOf(restored, 'a')).toEqual(['kept\0', '日本'])
    value(await restored.write('mast', half.slice(3)))
    expect(await textsOf(restored, 'b')).toEqual(['one\0', 'two'])
    await restored.close()
    await copy.close()
    await client.query(`DROP SCHEMA ${into} CASCADE`)
    rmSync(folder, { recursive: true })
  })

  it('are cleaned up as fast as others replace them', async () => {
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

  it('clean up replaced uploads, and those that never ended', async () => {
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

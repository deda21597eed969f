import { appendFileSync, cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { formatUploaderId, transcriptChange } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { describe, expect, it, vi } from 'vitest'
import { openPostgresStore } from '../../store/postgres/postgres-store.ts'
import { value } from '../../store/transcripts/transcripts.test-kit.ts'
import { linesOf, promptRow } from '../claude-code/claude-code.test-kit.ts'
import { claudeCodeSource } from '../claude-code/index.ts'
import { all, find, listed } from '../conformance/records.ts'
import { NAME, useCopies } from './copy.test-kit.ts'
import type { TranscriptReceiver } from './port.ts'
import { receiverOf } from './receiver.ts'

const RECORDED = new URL('../../../../../fixtures/claude-code/transcripts', import.meta.url).pathname

const lab = useCopies()
const { folder, fileOf, stored, put, begin, ids, texts } = lab

/** Answers come late, twice, or never: what was sent may have been stored all the same. */
function unsteady(inner: TranscriptReceiver, seed: number): TranscriptReceiver {
  let state = seed
  const chance = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  const away = failure('busy', 'The hub is away.')
  return {
    known: async (...asked) => (chance() < 0.3 ? away : inner.known(...asked)),
    send: async (...asked) => {
      if (chance() < 0.2) return away
      if (chance() < 0.3) await inner.send(...asked)
      const sent = await inner.send(...asked)
      return chance() < 0.3 ? away : sent
    },
  }
}

describe('uploaded sessions of a computer', () => {
  it('do not replace those of another home on a computer of the same name', async () => {
    const teller = (id: string) => receiverOf(lab.transcripts, formatUploaderId('mast', id))
    put('ada', 'of Ada')
    value(await begin(teller('a')).refresh())
    await lab.copy?.close()
    rmSync(fileOf('ada'))
    put('bob', 'of Bob')
    value(await begin(teller('b')).refresh())
    expect(await ids()).toEqual(['ada', 'bob'])
    rmSync(fileOf('bob'))
    put('carol', 'of Bob')
    await lab.copy?.close()
    value(await begin(teller('b')).refresh())
    expect(await ids()).toEqual(['ada', 'bob', 'carol'])
    const known = value(await teller('b').known(NAME, AbortSignal.timeout(30_000)))
    expect([...known.keys()].sort()).toEqual(['bob', 'carol'])
  })

  it('equal the local sessions, and are uploaded again only after a change', async () => {
    cpSync(RECORDED, join(lab.home, 'claude', 'projects'), { recursive: true })
    put('one', 'when is high tide?', 'and low tide?')
    const { refresh, status } = begin()
    value(await refresh())
    const local = claudeCodeSource(join(lab.home, 'claude', 'projects'))
    const here = await listed(local)
    expect(here.length).toBeGreaterThan(1)
    expect(new Map((await listed(stored())).map((each) => [each.id, each.fingerprint]))).toEqual(
      new Map(here.map((each) => [each.id, each.fingerprint])),
    )
    const { sent, bytes } = status()
    expect(sent).toBe(here.length)
    value(await refresh())
    expect(status()).toMatchObject({ sent, bytes, waiting: 0, problem: null })
    appendFileSync(fileOf('one'), linesOf([promptRow('and now?')]))
    value(await refresh())
    expect(status().sent).toBe(sent + 1)
    expect(await texts('one')).toEqual(['when is high tide?', 'and low tide?', 'and now?'])
  })

  it('contain no secrets', async () => {
    const key = `sk-ant-api03-${'Ab3'.repeat(30)}AA`
    put('one', `the key is ${key}`)
    value(await begin().refresh())
    const told = await texts('one')
    expect(told.join()).toContain('the key is')
    const { rows } = await lab.client.query(`SELECT doc FROM ${lab.schema}.transcript_records`)
    expect(JSON.stringify(rows)).not.toContain(key)
  })

  it('stay on the hub when the agent deletes them', async () => {
    put('stays', 'a')
    put('goes', 'b')
    const { refresh, status } = begin()
    value(await refresh())
    rmSync(fileOf('goes'))
    value(await refresh())
    expect(await ids()).toEqual(['goes', 'stays'])
    renameSync(folder(), join(lab.home, 'unmounted'))
    value(await refresh())
    expect(await ids()).toEqual(['goes', 'stays'])
    expect(status().dropped).toBe(0)
  })

  it('are extended when they grow, and sent in full if the hub cannot extend them', async () => {
    const long = Array.from({ length: 400 }, (_, n) => `${n} ${'x'.repeat(500)}`)
    put('long', ...long)
    const inner = receiverOf(lab.transcripts, 'mast')
    let isOlder = false
    const send = vi.fn<TranscriptReceiver['send']>((lines, signal) =>
      isOlder && lines.includes('"type":"same"')
        ? Promise.resolve(failure('invalid', 'line 2 type: is none of these'))
        : inner.send(lines, signal),
    )
    const { refresh, status } = begin({ known: inner.known, send })
    const grow = async (text: string) => {
      long.push(text)
      appendFileSync(fileOf('long'), linesOf([promptRow(text)]))
      const { bytes } = status()
      value(await refresh())
      return status().bytes - bytes
    }
    value(await refresh())
    expect(await grow('and more')).toBeLessThan(5_000)
    expect(await texts('long')).toEqual(long)
    long[7] = 'edited'
    put('long', ...long)
    value(await refresh())
    expect(await texts('long')).toEqual(long)
    isOlder = true
    await grow('to an older hub')
    value(await refresh())
    expect(await texts('long')).toEqual(long)
    expect(status().problem).toBeNull()
    isOlder = false
    await lab.client.query(`UPDATE ${lab.schema}.transcript_tellings SET name = 'another'`)
    await grow('where it is not known')
    value(await refresh())
    expect(await texts('long')).toEqual(long)
    expect(await grow('and again')).toBeLessThan(5_000)
    expect(await texts('long')).toEqual(long)
  })

  it('arrive complete and once over an unreliable connection', async () => {
    const long = Array.from({ length: 6_000 }, (_, n) => `${n} ${'x'.repeat(500)}`)
    put('long', ...long)
    for (let n = 0; n < 40; n += 1) put(`s${n}`, `of ${n}`)
    const { refresh } = begin(unsteady(receiverOf(lab.transcripts, 'mast'), 7))
    await vi.waitFor(async () => value(await refresh()), { timeout: 60_000, interval: 10 })
    expect(await ids()).toHaveLength(41)
    expect(await texts('long')).toEqual(long)
    for (let n = 0; n < 40; n += 1) expect(await texts(`s${n}`)).toEqual([`of ${n}`])
  })

  it('are sent as valid lines of limited size', async () => {
    put('large', 'y'.repeat(12_000_000), 'after')
    const sent: string[] = []
    const inner = receiverOf(lab.transcripts, 'mast')
    value(
      await begin({
        known: inner.known,
        send: (lines, signal) => {
          sent.push(lines)
          return inner.send(lines, signal)
        },
      }).refresh(),
    )
    for (const batch of sent) {
      expect(batch.length).toBeLessThan(10_000_000)
      for (const line of batch.split('\n').slice(0, -1)) transcriptChange.parse(JSON.parse(line))
    }
    const [first, second] = await texts('large')
    expect(first).toHaveLength(1_000_000)
    expect(second).toBe('after')
    const records = await all(stored().read(await find(stored(), 'large')))
    expect(records.filter(({ kind }) => kind === 'skipped')).toMatchObject([
      { reason: 'is too long to send completely' },
    ])
  })

  it('exclude one that the hub rejects until it changes', async () => {
    for (const id of ['a', 'b', 'bad', 'c']) put(id, `of ${id}`)
    const inner = receiverOf(lab.transcripts, 'mast')
    const send = vi.fn<TranscriptReceiver['send']>((lines, signal) =>
      lines.includes('of bad')
        ? Promise.resolve(failure('invalid', 'Line 2 is wrong.'))
        : inner.send(lines, signal),
    )
    const { refresh, status } = begin({ known: inner.known, send })
    value(await refresh())
    expect(await ids()).toEqual(['a', 'b', 'c'])
    expect(status().sent).toBe(3)
    send.mockClear()
    value(await refresh())
    expect(send).not.toHaveBeenCalled()
    put('bad', 'of good')
    value(await refresh())
    expect(await ids()).toEqual(['a', 'b', 'bad', 'c'])
  })

  it('are not sent repeatedly after the hub forgot them', async () => {
    const store = value(await openPostgresStore({ url: lab.url, schema: lab.schema }))
    value(await store.forgetting.begin([{ source: NAME, id: 'gone' }]))
    await store.close()
    put('gone', 'a')
    put('stays', 'b')
    const inner = receiverOf(lab.transcripts, 'mast')
    const send = vi.fn(inner.send)
    const { refresh } = begin({ known: inner.known, send })
    value(await refresh())
    expect(await ids()).toEqual(['stays'])
    send.mockClear()
    value(await refresh())
    expect(send).not.toHaveBeenCalled()
  })

  it('are removed from the hub when forgotten locally', async () => {
    put('gone', 'a')
    const { refresh, forget } = begin()
    value(await refresh())
    value(await forget([{ source: NAME, id: 'gone' }]))
    value(await refresh())
    expect(await ids()).toEqual([])
  })
})

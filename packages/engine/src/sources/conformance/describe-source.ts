import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { all, expectWhole, find, listed, read, textsOf } from './records.ts'
import type { SourceKit, SourcePlace } from './source-kit.ts'

const MANY_MESSAGES = 10_000
const MANY_SESSIONS = 1_000
const LONG = 5_000_000
/** How much another process writes, and how often the session is read meanwhile. */
const WRITTEN = 25
const READS = 25
/** A watcher may not be ready for the first change, so another change follows after this time. */
const AGAIN_MS = 1_000

/** The conformance suite that every session source passes. */
export function describeSource(name: string, kit: SourceKit): void {
  describe(`the source ${name}`, () => {
    let folder: string
    let place: SourcePlace

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'panoptes-source-'))
      place = kit.open(join(folder, 'home'))
    })
    afterEach(async () => {
      await place.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it('lists no sessions in an empty place', async () => {
      expect(await listed(place.source)).toEqual([])
    })

    it('reads a session without messages', async () => {
      await place.make([['empty', []]])
      const one = await find(place.source, 'empty')
      const records = await read(place.source, one)
      expectWhole(records, one)
      expect(textsOf(records)).toEqual([])
    })

    it('reads messages as they were written', async () => {
      const texts = ['plain', 'Grüße 🎉 日本語', '\u202eright to left', '<b>\u001b[31mred', 'a\0b', ' \n ']
      await place.make([['one', texts]])
      const one = await find(place.source, 'one')
      const records = await read(place.source, one)
      expectWhole(records, one)
      expect(textsOf(records)).toEqual(texts)
    })

    it('reads a huge session to its end', async () => {
      const texts = Array.from({ length: MANY_MESSAGES }, (_, at) => String(at))
      await place.make([['huge', [...texts, 'x'.repeat(LONG)]]])
      const records = await read(place.source, await find(place.source, 'huge'))
      const got = textsOf(records)
      expect(got.slice(0, -1)).toEqual(texts)
      expect(got.at(-1)).toHaveLength(LONG)
    })

    it('reads the available part of a half-written session or reports it', async () => {
      const texts = Array.from({ length: 300 }, (_, at) => `${at} ${'x'.repeat(500)}`)
      await place.make([['half', texts]])
      const one = await find(place.source, 'half')
      await place.cut('half')
      for await (const record of place.source.list()) expect(['listed', 'failed']).toContain(record.kind)
      const records = await read(place.source, one)
      const got = textsOf(records)
      expect(got).toEqual(texts.slice(0, got.length))
      if (records.at(-1)?.kind !== 'failed') expectWhole(records, one)
    })

    it('continues after text in another encoding', async () => {
      await place.make([['odd', ['before']]])
      await place.garble('odd', 'after')
      const one = await find(place.source, 'odd')
      const records = await read(place.source, one)
      expectWhole(records, one)
      const texts = textsOf(records)
      expect([texts[0], texts.at(-1)]).toEqual(['before', 'after'])
      expect(texts.every((text) => text.isWellFormed())).toBe(true)
    })

    it('reads consistent states while another program writes', async () => {
      await place.make([['live', ['0']]])
      const stop = await place.write('live')
      let most = 0
      for (let reads = 0; reads < READS || most < WRITTEN; reads += 1) {
        const one = await find(place.source, 'live')
        const records = await read(place.source, one)
        expectWhole(records, one)
        const numbers = textsOf(records).map(Number)
        expect(numbers).toEqual(numbers.map((_, at) => at))
        expect(numbers.length).toBeGreaterThanOrEqual(most)
        most = numbers.length
      }
      const written = await stop()
      const records = await read(place.source, await find(place.source, 'live'))
      expect(textsOf(records)).toHaveLength(1 + written)
    })

    it('reports a vanished session and no longer lists it', async () => {
      await place.make([
        ['stays', ['a']],
        ['goes', ['b']],
      ])
      const one = await find(place.source, 'goes')
      await place.remove('goes')
      expect((await read(place.source, one)).at(-1)).toMatchObject({
        kind: 'failed',
        failure: { code: 'not_found' },
      })
      expect((await listed(place.source)).map(({ id }) => id)).toEqual(['stays'])
    })

    it('finds the one changed session among a thousand', async () => {
      const ids = Array.from({ length: MANY_SESSIONS }, (_, at) => `s${at}`)
      await place.make(ids.map((id) => [id, ['hello']]))
      const before = new Map((await listed(place.source)).map((one) => [one.id, one.fingerprint]))
      expect(before.size).toBe(MANY_SESSIONS)
      await place.append('s77', 'more')
      const after = await listed(place.source)
      expect(after).toHaveLength(MANY_SESSIONS)
      const changed = after.filter((one) => before.get(one.id) !== one.fingerprint)
      expect(changed.map(({ id }) => id)).toEqual(['s77'])
    })

    it('stops when it is aborted', async () => {
      await place.make([['long', Array.from({ length: 5_000 }, (_, at) => String(at))]])
      const one = await find(place.source, 'long')
      const stop = new AbortController()
      stop.abort()
      const records = await all(place.source.read(one, stop.signal))
      expect(records.some(({ kind }) => kind === 'session' || kind === 'failed')).toBe(false)
    })

    const appendUntilCalled = async (changed: () => void) => {
      let appendedAt = Number.NEGATIVE_INFINITY
      await vi.waitFor(
        async () => {
          if (performance.now() - appendedAt > AGAIN_MS) {
            appendedAt = performance.now()
            await place.append('seen', 'b')
          }
          expect(changed).toHaveBeenCalled()
        },
        { timeout: 30_000, interval: 20 },
      )
    }

    it('reports a change soon, and none after its watch ended', async () => {
      await place.make([['seen', ['a']]])
      const changed = vi.fn()
      const end = place.source.watch(changed)
      await appendUntilCalled(changed)
      end()
      changed.mockClear()
      const other = vi.fn()
      onTestFinished(place.source.watch(other))
      await appendUntilCalled(other)
      expect(changed).not.toHaveBeenCalled()
    })
  })
}

import { join } from 'node:path'
import type { SessionRef } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { openStore, tempFolder, value } from '../outcomes.test-kit.ts'
import { event } from '../outcomes-home.test-kit.ts'
import { Touched } from './touched.ts'

const MOST = 50

async function home() {
  const store = await openStore(join(tempFolder(), 'ledger.db'))
  const bypassed: SessionRef[] = []
  const touched = new Touched(store, 'UTC', (session) => bypassed.push(session), MOST)
  expect(await touched.catchUp()).toBeUndefined()
  const tell = async (kind: string, sessions: readonly string[]) => {
    const { last } = value(await store.append(sessions.map((id) => event(id, kind))))
    const { rows } = value(await store.read({ after: last - sessions.length, limit: sessions.length }))
    touched.saw(rows)
  }
  return { touched, bypassed, tell, store }
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`)
const idsOf = (touched: Touched) => touched.take().map(({ ref }) => ref.id)

describe('sessions with new events', () => {
  it('are queued up to a limit, and the rest is read from the log afterwards', async () => {
    const { touched, tell } = await home()
    await tell('prompt', named('a', MOST))
    expect(touched.isBehind).toBe(false)
    await tell('prompt', named('b', 20))
    expect(touched.isBehind).toBe(true)
    expect(idsOf(touched)).toEqual(named('a', MOST))
    await tell('prompt', named('c', 10))
    expect(idsOf(touched)).toEqual([])
    expect(await touched.catchUp()).toBeUndefined()
    expect(touched.isBehind).toBe(false)
    expect(idsOf(touched)).toEqual([...named('b', 20), ...named('c', 10)])
    await tell('prompt', ['d'])
    expect(idsOf(touched)).toEqual(['d'])
  })

  it('are read from the log in batches until none is left', async () => {
    const { touched, store } = await home()
    const all = named('a', 120)
    value(await store.append(all.map((id) => event(id, 'prompt'))))
    const found: string[][] = []
    do {
      expect(await touched.catchUp()).toBeUndefined()
      found.push(idsOf(touched))
    } while (touched.isBehind)
    expect(found.map(({ length }) => length)).toEqual([50, 50, 20])
    expect(found.flat()).toEqual(all)
  })

  it('are marked as processed only up to the first one that is left', async () => {
    const { touched, tell, store: ledger } = await home()
    await tell('prompt', named('a', 55))
    touched.take()
    value(await touched.mark())
    const again = new Touched(ledger, 'UTC', () => undefined, MOST)
    expect(await again.catchUp()).toBeUndefined()
    expect(idsOf(again)).toEqual(named('a', 55).slice(MOST))
  })

  it('are read again from the mark or from where the log was rewound, whichever is earlier', async () => {
    const { touched, tell } = await home()
    await tell('prompt', named('a', 5))
    touched.take()
    value(await touched.mark())
    await tell('prompt', named('b', 3))
    touched.take()
    touched.wentBack(7)
    await tell('prompt', ['c'])
    expect(await touched.catchUp()).toBeUndefined()
    expect(idsOf(touched)).toEqual([...named('b', 3), 'c'])
    touched.wentBack(4)
    value(await touched.mark())
    expect(await touched.catchUp()).toBeUndefined()
    expect(idsOf(touched)).toEqual(['a4', ...named('b', 3), 'c'])
    await tell('prompt', ['d'])
    expect(touched.isBehind).toBe(false)
    expect(idsOf(touched)).toEqual(['d'])
  })

  it('report a bypass event at once, even while other sessions wait', async () => {
    const { touched, bypassed, tell } = await home()
    await tell('prompt', named('a', MOST + 1))
    expect(touched.isBehind).toBe(true)
    await tell('bypass', ['b'])
    expect(bypassed.map(({ id }) => id)).toEqual(['b'])
  })
})

import { join } from 'node:path'
import type { SessionRef } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { openLedger, tempFolder, value } from '../review.test-kit.ts'
import { event } from '../review-home.test-kit.ts'
import { Touched } from './touched.ts'

const MOST = 50

async function home() {
  const ledger = await openLedger(join(tempFolder(), 'ledger.db'))
  const bypassed: SessionRef[] = []
  const touched = new Touched(ledger, 'UTC', (session) => bypassed.push(session), MOST)
  expect(await touched.catchUp()).toBeUndefined()
  const tell = async (kind: string, sessions: readonly string[]) => {
    const { last } = value(await ledger.append(sessions.map((id) => event(id, kind))))
    const { rows } = value(await ledger.read({ after: last - sessions.length, limit: sessions.length }))
    touched.saw(rows)
  }
  return { touched, bypassed, tell, ledger }
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`)
const idsOf = (touched: Touched) => touched.take().map(({ ref }) => ref.id)

describe('sessions of which something was stored', () => {
  it('wait in a bounded number, and the rest comes from the log after them', async () => {
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

  it('are read from the log in as many steps as it takes', async () => {
    const { touched, ledger } = await home()
    const all = named('a', 120)
    value(await ledger.append(all.map((id) => event(id, 'prompt'))))
    const found: string[][] = []
    do {
      expect(await touched.catchUp()).toBeUndefined()
      found.push(idsOf(touched))
    } while (touched.isBehind)
    expect(found.map(({ length }) => length)).toEqual([50, 50, 20])
    expect(found.flat()).toEqual(all)
  })

  it('are marked up to the first that waits, not up to what was left in the log', async () => {
    const { touched, tell, ledger } = await home()
    await tell('prompt', named('a', 55))
    touched.take()
    value(await touched.mark())
    const again = new Touched(ledger, 'UTC', () => undefined, MOST)
    expect(await again.catchUp()).toBeUndefined()
    expect(idsOf(again)).toEqual(named('a', 55).slice(MOST))
  })

  it('come again from what is marked where the log went back, and from no later than where it is still what it was', async () => {
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

  it('have what must not be recorded heeded at once, also while others wait', async () => {
    const { touched, bypassed, tell } = await home()
    await tell('prompt', named('a', MOST + 1))
    expect(touched.isBehind).toBe(true)
    await tell('bypass', ['b'])
    expect(bypassed.map(({ id }) => id)).toEqual(['b'])
  })
})

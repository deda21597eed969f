import { describe, expect, it } from 'vitest'
import { type StoreLab, useLab, value } from './lab.ts'
import { turn } from './rows-kit.ts'

export function describeTurning(lab: StoreLab): void {
  describe('stored turns', () => {
    const bench = useLab(lab)

    it('keep the last version of each, newest first, and filter by preset, session and time', async () => {
      const { turns } = (await bench.open()).store
      const old = turn('aa1')
      const late = turn('ab2', { started_at: 9_000, preset: 'other' })
      const third = turn('b', { started_at: 5_000, session_id: 't' })
      value(await turns.keep([old, late, third]))
      value(await turns.keep([{ ...old, iterations: 20 }]))
      expect(value(await turns.list({ limit: 10 }))).toEqual({
        total: 3,
        rows: [late, third, { ...old, iterations: 20 }],
      })
      expect(value(await turns.list({ preset: 'review', limit: 1 }))).toEqual({ total: 2, rows: [third] })
      expect(value(await turns.list({ preset: 'review', limit: 1, offset: 1 })).rows).toHaveLength(1)
      expect(value(await turns.list({ session: 't', limit: 9 })).rows).toEqual([third])
      expect(value(await turns.list({ since: 5_000, until: 9_000, limit: 9 })).rows).toEqual([third])
    })

    it('are found by the beginning of an id if it is unique', async () => {
      const { turns } = (await bench.open()).store
      value(await turns.keep([turn('aa1'), turn('ab2')]))
      expect(value(await turns.get('aa'))).toEqual(turn('aa1'))
      expect(value(await turns.get('a'))).toBeNull()
      expect(value(await turns.get('c'))).toBeNull()
    })

    it('are removed with a forgotten session', async () => {
      const { turns, forgetting } = (await bench.open()).store
      value(await turns.keep([turn('a'), turn('b', { session_id: 't' })]))
      const gone = [{ source: 'panoptes', id: 's' }]
      value(await forgetting.begin(gone))
      value(await forgetting.remove(gone))
      expect(value(await turns.list({ limit: 9 })).rows).toEqual([turn('b', { session_id: 't' })])
    })
  })
}

import { describe, expect, it } from 'vitest'
import type { SessionIndex } from '../port.ts'
import { type IndexLab, message, session, sessionChanges, useIndex, value } from './lab.ts'

export function describeBatches(lab: IndexLab): void {
  const bench = useIndex(lab)
  const one = (id: string) => sessionChanges(session(id), [message(`words of ${id}`)])
  const readIds = async (of: SessionIndex) => [...value(await of.fingerprints('claude-code')).keys()].sort()
  const NEVER_BEGUN = [{ type: 'end' as const, session: session('never begun') }]

  describe('session index batch', () => {
    it('becomes visible to others when it ends, not before', async () => {
      const reader = await bench.again({ readOnly: true })
      const batch = bench.index.batch()
      value(await batch.add(one('s1')))
      value(await batch.add(one('s2')))
      expect(await readIds(reader)).toEqual([])
      value(await batch.end())
      expect(await readIds(reader)).toEqual(['s1', 's2'])
      await reader.close()
    })

    it('is committed when the index is closed', async () => {
      value(await bench.index.batch().add(one('s1')))
      await bench.reopen()
      expect(await readIds(bench.index)).toEqual(['s1'])
    })

    it('reports when another one discarded what it added', async () => {
      const [mine, other] = [bench.index.batch(), bench.index.batch()]
      value(await mine.add(one('s1')))
      expect((await other.add(NEVER_BEGUN)).ok).toBe(false)
      expect((await mine.add(one('s2'))).ok).toBe(false)
      expect((await mine.end()).ok).toBe(false)
      expect(await readIds(bench.index)).toEqual([])
      value(await bench.index.write(one('s3')))
      expect(await readIds(bench.index)).toEqual(['s3'])
    })
  })
}

import { describe, expect, it } from 'vitest'
import type { SessionIndex } from '../port.ts'
import { type IndexLab, message, session, told, useIndex, value } from './lab.ts'

export function describeBatches(lab: IndexLab): void {
  const kept = useIndex(lab)
  const one = (id: string) => told(session(id), [message(`words of ${id}`)])
  const known = async (of: SessionIndex) => [...value(await of.known('claude-code')).keys()].sort()
  const NEVER_BEGUN = [{ type: 'end' as const, session: session('never begun') }]

  describe('a batch', () => {
    it('is there for others when it ends, not before', async () => {
      const reader = await kept.again({ readOnly: true })
      const batch = kept.index.batch()
      value(await batch.add(one('s1')))
      value(await batch.add(one('s2')))
      expect(await known(reader)).toEqual([])
      value(await batch.end())
      expect(await known(reader)).toEqual(['s1', 's2'])
      await reader.close()
    })

    it('is kept when the index is closed', async () => {
      value(await kept.index.batch().add(one('s1')))
      await kept.reopen()
      expect(await known(kept.index)).toEqual(['s1'])
    })

    it('says so when another one took what it added with it', async () => {
      const [mine, other] = [kept.index.batch(), kept.index.batch()]
      value(await mine.add(one('s1')))
      expect((await other.add(NEVER_BEGUN)).ok).toBe(false)
      expect((await mine.add(one('s2'))).ok).toBe(false)
      expect((await mine.end()).ok).toBe(false)
      expect(await known(kept.index)).toEqual([])
      value(await kept.index.write(one('s3')))
      expect(await known(kept.index)).toEqual(['s3'])
    })
  })
}

import type { DatabaseSync } from 'node:sqlite'
import type { Result } from '@panoptes/schema'
import { Changes } from './changes.ts'
import { Parts } from './parts.ts'
import type { IndexBatch, IndexChange } from './port.ts'
import { Held, type Owner } from './write-transaction.ts'

interface Batches {
  readonly batch: () => IndexBatch
  /** Commits everything that the batches have added. */
  readonly commit: () => Promise<Result<null>>
}

/** The batches of one connection share its transaction. */
export function createBatches(
  db: DatabaseSync,
  answer: (work: () => null) => Promise<Result<null>>,
  messagesAPart?: number,
): Batches {
  let opened: { readonly changes: Changes; readonly held: Held } | undefined
  const open = () => {
    const changes = new Changes(db, new Parts(db, messagesAPart))
    return { changes, held: new Held(db, () => changes.rollBack()) }
  }
  const commit = () => {
    opened?.held.commit()
    return null
  }
  const batch = (): IndexBatch => {
    const owner: Owner = { lost: false }
    const unlessLost = (work: () => null) =>
      answer(() => {
        if (owner.lost) throw new Error('an earlier write to the session index failed')
        return work()
      })
    return {
      add: (list) =>
        unlessLost(() => {
          if (list.length === 0) return null
          opened ??= open()
          const { changes, held } = opened
          held.write(owner, textSize(list), () => changes.write(list))
          return null
        }),
      end: () => unlessLost(commit),
    }
  }
  return { batch, commit: () => answer(commit) }
}

export const textSize = (changes: readonly IndexChange[]): number =>
  changes.reduce((sum, change) => {
    if (change.type === 'chunk') return sum + (change.chunk.data?.length ?? 0)
    if (change.type !== 'messages') return sum
    return change.messages.reduce((size, { text }) => size + text.length, sum)
  }, 0)

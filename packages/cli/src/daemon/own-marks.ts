import { hostname } from 'node:os'
import type { Intake } from '@panoptes/engine/capture'
import type { Paths } from '@panoptes/engine/home'
import type { Ledger, LedgerPlace, Marks } from '@panoptes/engine/ledger'
import { success } from '@panoptes/schema/result'

type Marking = Pick<Ledger, 'append' | 'marks' | 'read' | 'sessions' | 'forgetting'>

/**
 * How far the files of this home were read is written into the ledger with their events. In one that many share, files of the same
 * name on other computers have marks of their own.
 */
export function withOwnMarks(ledger: Ledger, place: LedgerPlace | undefined, paths: Paths): Marking {
  if (place?.kind !== 'postgres') return ledger
  const prefix = prefixOf(paths)
  return {
    append: (events, marks) => ledger.append(events, marks && named(marks, prefix)),
    marks: async (names) => {
      const found = await ledger.marks(names.map((name) => prefix + name))
      if (!found.ok) return found
      return success(
        Object.fromEntries(
          Object.entries(found.value).map(([name, value]) => [name.slice(prefix.length), value]),
        ),
      )
    },
    read: (range, filter) => ledger.read(range, filter),
    sessions: (query) => ledger.sessions(query),
    forgetting: ledger.forgetting,
  }
}

export function intakeWithOwnMarks(intake: Intake, place: LedgerPlace | undefined, paths: Paths): Intake {
  if (place?.kind !== 'postgres') return intake
  const prefix = prefixOf(paths)
  return { ...intake, append: (events, marks) => intake.append(events, marks && named(marks, prefix)) }
}

const prefixOf = ({ home }: Paths): string => `${hostname()}:${home}:`

const named = (marks: Marks, prefix: string): Marks =>
  Object.fromEntries(Object.entries(marks).map(([name, value]) => [prefix + name, value]))

import { hostname } from 'node:os'
import type { Intake } from '@panoptes/engine/capture'
import type { Paths } from '@panoptes/engine/home'
import type { EventStore, Marks, StoreLocation } from '@panoptes/engine/store'
import { success } from '@panoptes/schema/result'

type Marking = Pick<EventStore, 'append' | 'marks' | 'read' | 'sessions' | 'forgetting'>

/**
 * Stores read positions of this home together with its events. In a shared store, each computer has its own
 * positions, because files may have the same name on several computers.
 */
export function withOwnMarks(store: EventStore, place: StoreLocation | undefined, paths: Paths): Marking {
  if (place?.kind !== 'postgres') return store
  const prefix = prefixOf(paths)
  return {
    append: (events, marks) => store.append(events, marks && named(marks, prefix)),
    marks: async (names) => {
      const found = await store.marks(names.map((name) => prefix + name))
      if (!found.ok) return found
      return success(
        Object.fromEntries(
          Object.entries(found.value).map(([name, value]) => [name.slice(prefix.length), value]),
        ),
      )
    },
    read: (range, filter) => store.read(range, filter),
    sessions: (query) => store.sessions(query),
    forgetting: store.forgetting,
  }
}

export function intakeWithOwnMarks(intake: Intake, place: StoreLocation | undefined, paths: Paths): Intake {
  if (place?.kind !== 'postgres') return intake
  const prefix = prefixOf(paths)
  return { ...intake, append: (events, marks) => intake.append(events, marks && named(marks, prefix)) }
}

const prefixOf = ({ home }: Paths): string => `${hostname()}:${home}:`

const named = (marks: Marks, prefix: string): Marks =>
  Object.fromEntries(Object.entries(marks).map(([name, value]) => [prefix + name, value]))

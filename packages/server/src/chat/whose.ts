import type { Chat, Whose } from '@panoptes/engine/chat'
import { failure, isChangedBy, isVisibleTo } from '@panoptes/schema'
import type { Caller } from '../callers.ts'
import type { Kit } from '../kit.ts'
import { ownerOf } from '../owner.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import type { Call, Route } from '../route.ts'

/** What somebody may do with conversations. On a computer of one's own that is everything. */
export interface Rights extends Whose {
  /** Whose conversations they see beside those that everybody does; undefined for all of them. */
  readonly visibleTo: string | undefined
  readonly owner: string | undefined
  /** Why they may not; nothing where they may. */
  readonly refused: (id: string, to: 'read' | 'change') => Promise<Refusal | undefined>
}

const EVERYTHING: Rights = { visibleTo: undefined, owner: undefined, refused: async () => undefined }

export function rightsOf(chat: Chat, { people }: Pick<Kit, 'people'>, caller: Caller | undefined): Rights {
  const owner = ownerOf(people, caller)
  if (owner === undefined) return EVERYTHING
  return {
    visibleTo: owner,
    owner,
    ownerName: caller?.identity?.label ?? 'this computer',
    refused: async (id, to) => {
      const head = await chat.head(id)
      if (!head.ok) return refusalOf(head)
      if (!isVisibleTo(head.value, owner)) return refusalOf(gone(id))
      return to === 'read' || isChangedBy(head.value, owner) ? undefined : NOT_YOURS
    },
  }
}

/** As of one that is not there, word for word. */
const gone = (id: string) => failure('not_found', `There is no conversation ${id}.`)

const NOT_YOURS: Refusal = {
  status: 403,
  code: 'not_yours',
  title: 'Not yours',
  detail: 'This conversation is somebody else’s: it is shared to be read.',
  next: 'Fork it with POST …/fork, and go on in your own.',
}

export type RightsOf = (call: Pick<Call, 'caller'>) => Rights

/** Answers whoever may; to all others it is not there, or not theirs. */
export const only = (rights: RightsOf, to: 'read' | 'change', guarded: Route): Route => ({
  ...guarded,
  answer: async (call) => (await rights(call).refused(call.params.id ?? '', to)) ?? guarded.answer(call),
})

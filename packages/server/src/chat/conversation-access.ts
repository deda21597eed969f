import type { Chat, Ownership } from '@panoptes/engine/chat'
import { failure, isChangedBy, isVisibleTo } from '@panoptes/schema'
import type { AppContext } from '../app-context.ts'
import type { Caller } from '../authenticate.ts'
import { findOwner } from '../authenticate.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import type { Call, Route } from '../route.ts'

/** What a caller may do with conversations. On a single computer that is everything. */
export interface Rights extends Ownership {
  /** The person whose private conversations are visible beside the shared ones; undefined shows all of them. */
  readonly visibleTo: string | undefined
  readonly owner: string | undefined
  /** Returns why the caller may not read or change a conversation, or undefined if they may. */
  readonly findRefusal: (id: string, to: 'read' | 'change') => Promise<Refusal | undefined>
}

const EVERYTHING: Rights = { visibleTo: undefined, owner: undefined, findRefusal: async () => undefined }

export function conversationRights(
  chat: Chat,
  { people }: Pick<AppContext, 'people'>,
  caller: Caller | undefined,
): Rights {
  const owner = findOwner(people, caller)
  if (owner === undefined) return EVERYTHING
  return {
    visibleTo: owner,
    owner,
    ownerName: caller?.identity?.label ?? 'this computer',
    findRefusal: async (id, to) => {
      const head = await chat.head(id)
      if (!head.ok) return toRefusal(head)
      if (!isVisibleTo(head.value, owner)) return toRefusal(notFound(id))
      return to === 'read' || isChangedBy(head.value, owner) ? undefined : NOT_YOURS
    },
  }
}

/**
 * The refusal has the same words as for a conversation that does not exist, so that its existence stays
 * hidden.
 */
const notFound = (id: string) => failure('not_found', `No conversation ${id}.`)

const NOT_YOURS: Refusal = {
  status: 403,
  code: 'not_yours',
  title: 'Not yours',
  detail: 'This conversation belongs to someone else and is shared read-only.',
  next: 'Fork it with POST …/fork and continue in your copy.',
}

export type RightsOf = (call: Pick<Call, 'caller'>) => Rights

/** Guards a route: callers without the right get "not found" or "not yours". */
export const requireRight = (rights: RightsOf, to: 'read' | 'change', protectedRoute: Route): Route => ({
  ...protectedRoute,
  answer: async (call) =>
    (await rights(call).findRefusal(call.params.id ?? '', to)) ?? protectedRoute.answer(call),
})

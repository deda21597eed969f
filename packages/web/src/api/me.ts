import type { ConversationHead, MeReply, Role } from '@panoptes/schema'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getJson, WHO } from './request.ts'
import { heardSpace } from './space.ts'

const SELDOM_MS = 60_000

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await getJson<MeReply>(WHO, signal)
    heardSpace(me)
    return me
  },
  staleTime: SELDOM_MS,
  refetchInterval: SELDOM_MS,
})

/** Who this browser is signed in as in a team; null on a computer of one's own, and until it is known. */
export function useMe(): MeReply | null {
  const { data } = useQuery(meQuery)
  return data?.team ? data : null
}

export const ROLES: readonly Role[] = ['viewer', 'member', 'admin']

/** Whether somebody may do what needs a role. On a computer of one's own one may do everything. */
export const may = (me: Pick<MeReply, 'role'> | null, needs: Role): boolean =>
  me === null || ROLES.indexOf(me.role) >= ROLES.indexOf(needs)

export const useMay = (needs: Role): boolean => may(useMe(), needs)

/** Presets of models and whether their texts are kept hold for all spaces: the admins of the first one decide. */
export const mayDecideForAll = (me: MeReply | null): boolean =>
  me === null || (may(me, 'admin') && me.space === FIRST_SPACE)

const FIRST_SPACE = 'main'

/** What is on the computer of the hub, files of backups and folders of skills, is for whoever has that: no person, and no token of the team. */
export const mayChangeFiles = (me: MeReply | null): boolean => me === null || me.home

/** Whether there are several people here; undefined until it is known. */
export function useIsTeam(): boolean | undefined {
  const { data, isError } = useQuery(meQuery)
  return data?.team ?? (isError ? false : undefined)
}

/** Whether they may change a conversation, and not only read it. */
export function isMine(
  { owner, owner_name: name }: Pick<ConversationHead, 'owner' | 'owner_name'>,
  me: MeReply | null,
): boolean {
  if (me === null || owner == null) return true
  return me.user === null ? name === me.label : owner === me.user.id
}

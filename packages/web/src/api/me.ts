import type { ConversationHead, MeReply, Role } from '@panoptes/schema'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getJson, WHO } from './request.ts'
import { adoptSpace } from './space.ts'

const SELDOM_MS = 60_000

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await getJson<MeReply>(WHO, signal)
    adoptSpace(me)
    return me
  },
  staleTime: SELDOM_MS,
  refetchInterval: SELDOM_MS,
})

/** The person this browser is signed in as on a hub; null on a personal computer and until it is known. */
export function useMe(): MeReply | null {
  const { data } = useQuery(meQuery)
  return data?.team ? data : null
}

export const ROLES: readonly Role[] = ['viewer', 'member', 'admin']

/** Whether the person may do what requires a role. On a personal computer everything is allowed. */
export const hasRole = (me: Pick<MeReply, 'role'> | null, needs: Role): boolean =>
  me === null || ROLES.indexOf(me.role) >= ROLES.indexOf(needs)

export const useHasRole = (needs: Role): boolean => hasRole(useMe(), needs)

/** Presets and the recording of turn texts apply to all spaces, so the admins of the first space decide. */
export const canDecideForAll = (me: MeReply | null): boolean =>
  me === null || (hasRole(me, 'admin') && me.space === FIRST_SPACE)

const FIRST_SPACE = 'main'

/** Backup files and skill folders are on the hub's own computer, so no person and no team token may reach them. */
export const canChangeFiles = (me: MeReply | null): boolean => me === null || me.home

/** Whether several people use this Panoptes; undefined until it is known. */
export function useIsTeam(): boolean | undefined {
  const { data, isError } = useQuery(meQuery)
  return data?.team ?? (isError ? false : undefined)
}

/** Whether the person may change a conversation rather than only read it. */
export function isMine(
  { owner, owner_name: name }: Pick<ConversationHead, 'owner' | 'owner_name'>,
  me: MeReply | null,
): boolean {
  if (me === null || owner == null) return true
  return me.user === null ? name === me.label : owner === me.user.id
}

import type {
  BudgetState,
  CalibrationReply,
  CostRow,
  FollowUpsReply,
  LedgerAgentsReply,
  LedgerClaimsReply,
  LedgerOverview,
  LedgerSkillsReply,
  OutcomeRow,
  SkillReviewReply,
  SkillUsesReply,
} from '@panoptes/schema'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { queryClient } from '../api/client.ts'
import type { PageParam } from '../api/queries.ts'
import { getJson, postJson } from '../api/request.ts'

const OFTEN_MS = 1_500
const SELDOM_MS = 15_000
const FRESH_MS = 5_000
const all = ['ledger'] as const

/** The data of a filter; the previous data stays until the next arrives. */
const sum = <T>(name: string, filter: string) =>
  queryOptions({
    queryKey: [...all, name, filter],
    queryFn: ({ signal }) => getJson<T>(`/api/ledger/${name}${filter === '' ? '' : `?${filter}`}`, signal),
    staleTime: FRESH_MS,
    refetchInterval: SELDOM_MS,
    placeholderData: keepPreviousData,
  })

export const overviewQuery = (filter: string) => ({
  ...sum<LedgerOverview>('overview', filter),
  refetchInterval: ({ state }: { readonly state: { readonly data?: LedgerOverview | undefined } }) =>
    state.data?.reading.state === 'running' ? OFTEN_MS : SELDOM_MS,
})
export const costsQuery = (filter: string) => sum<readonly CostRow[]>('costs', filter)
export const outcomesQuery = (filter: string) => sum<readonly OutcomeRow[]>('outcomes', filter)
export const calibrationQuery = (filter: string) => sum<CalibrationReply>('calibration', filter)
export const skillsQuery = sum<LedgerSkillsReply>('skills', '')
export const budgetsQuery = sum<readonly BudgetState[]>('budgets', '')
export const fewClaimsQuery = (filter: string) => sum<LedgerClaimsReply>('claims', filter)

/** The first page size; the rest is loaded when all rows are requested. */
export const FIRST = 20
const PAGE = 200

/** A list: the first rows at once and the rest in pages. */
const list = <T extends { readonly total: number }>(
  name: string,
  filter: string,
  countRows: (reply: T) => number,
) =>
  infiniteQueryOptions({
    queryKey: [...all, 'list', name, filter],
    queryFn: ({ pageParam: { offset, limit }, signal }) =>
      getJson<T>(`/api/ledger/${name}?${filter}&limit=${limit}&offset=${offset}`, signal),
    initialPageParam: { offset: 0, limit: FIRST } as PageParam,
    getNextPageParam: (last, pages): PageParam | null => {
      const read = pages.reduce((rows, page) => rows + countRows(page), 0)
      return countRows(last) === 0 || read >= last.total ? null : { offset: read, limit: PAGE }
    },
    staleTime: FRESH_MS,
    // Refetching hundreds of rows takes longer than anyone waits for a change in them.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? SELDOM_MS : false),
  })

export const agentsQuery = (filter: string) =>
  list<LedgerAgentsReply>('agents', filter, ({ agents }) => agents.length)
export const claimsQuery = (filter: string) =>
  list<LedgerClaimsReply>('claims', filter, ({ claims }) => claims.length)
export const skillUsesQuery = (filter: string) =>
  list<SkillUsesReply>('skill-uses', filter, ({ uses }) => uses.length)
export const followUpsQuery = (filter: string) =>
  list<FollowUpsReply>('followups', filter, ({ followups }) => followups.length)

/** Previews a skill review without changing anything. */
export const reviewQuery = queryOptions({
  queryKey: [...all, 'review'],
  queryFn: () => postJson<SkillReviewReply>('/api/ledger/skills/review', { apply: false }),
  staleTime: 0,
  gcTime: 0,
})

export async function applyReview(): Promise<SkillReviewReply> {
  const reply = await postJson<SkillReviewReply>('/api/ledger/skills/review', { apply: true })
  void invalidateLedger()
  return reply
}

export async function undoReview(): Promise<void> {
  await postJson<SkillReviewReply>('/api/ledger/skills/review', { undo: true })
  void invalidateLedger()
}

const LEFT = ['overview', 'review']

/** Invalidates everything except the status, which announces news, and the review that someone is deciding on. */
export const invalidateLedger = (): Promise<void> =>
  queryClient.invalidateQueries({
    queryKey: all,
    predicate: ({ queryKey }) => !LEFT.includes(String(queryKey[1])),
  })

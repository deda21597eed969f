import { useQuery } from '@tanstack/react-query'
import { words } from '../words.ts'
import { pastStatsQuery } from './queries.ts'

/** Whether there are sessions of several computers: only then each says which it is from. */
export function useIsOfMany(): boolean {
  const rows = useQuery(pastStatsQuery('host')).data ?? []
  return rows.filter(({ name }) => name !== words.unknown).length > 1
}

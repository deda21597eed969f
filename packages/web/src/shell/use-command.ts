import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries.ts'

/** The command that runs Panoptes on the server's computer: its name, or npx in a clone. */
export const useCommand = (): string => useQuery(statusQuery).data?.command ?? 'panoptes'

import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries.ts'

/** What to type for the program where it runs: by its name, or through npx in a clone. */
export const useCommand = (): string => useQuery(statusQuery).data?.command ?? 'panoptes'

import type { RuntimeHealth } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import type { GlyphName } from '../design/glyph.tsx'
import { oneLine } from '../sessions/plain.ts'
import { words } from '../words.ts'
import { runtimesQuery } from './queries.ts'

const NAME = 40
const NONE: readonly RuntimeHealth[] = []

export const useRuntimes = (): readonly RuntimeHealth[] => useQuery(runtimesQuery).data?.runtimes ?? NONE

/** What a runtime is called. */
export const titleIn = (runtimes: readonly RuntimeHealth[], id: string | null): string =>
  id === null
    ? words.unknown
    : oneLine(runtimes.find((one) => one.id === id)?.title ?? words.chat.runtimeName(id), NAME)

export const isReady = ({ state }: RuntimeHealth): boolean => state === 'ready' || state === 'busy'

/** Who answers where nobody was chosen: the default, ready or not, as the server has it. */
export const usualOf = (runtimes: readonly RuntimeHealth[]): RuntimeHealth | undefined =>
  runtimes.find((one) => one.is_default) ?? runtimes.find(isReady) ?? runtimes[0]

/** How a runtime is, as a shape. */
export const glyphOf = ({ state }: RuntimeHealth): GlyphName =>
  state === 'ready' ? 'done' : state === 'busy' ? 'working' : state === 'unreachable' ? 'stuck' : 'failed'

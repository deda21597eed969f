import type { RuntimeHealth } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import type { GlyphName } from '../design/glyph.tsx'
import { words } from '../words.ts'
import { runtimesQuery } from './queries.ts'

const NAME = 40
const NONE: readonly RuntimeHealth[] = []

export const useRuntimes = (): readonly RuntimeHealth[] => useQuery(runtimesQuery).data?.runtimes ?? NONE

/** The display name of a runtime. */
export const runtimeTitle = (runtimes: readonly RuntimeHealth[], id: string | null): string =>
  id === null
    ? words.unknown
    : toVisibleLine(runtimes.find((one) => one.id === id)?.title ?? words.chat.runtimeName(id), NAME)

/** An untried runtime may be asked. */
export const isReady = ({ state }: RuntimeHealth): boolean =>
  state === 'ready' || state === 'busy' || state === 'untried'

/** The runtime that answers if none was chosen: the server's default, ready or not. */
export const defaultRuntime = (runtimes: readonly RuntimeHealth[]): RuntimeHealth | undefined =>
  runtimes.find((one) => one.is_default) ?? runtimes.find(isReady) ?? runtimes[0]

/** The glyph for a runtime's state. */
export const runtimeGlyph = ({ state }: RuntimeHealth): GlyphName => GLYPHS[state] ?? 'failed'

const GLYPHS: Readonly<Partial<Record<RuntimeHealth['state'], GlyphName>>> = {
  ready: 'done',
  busy: 'working',
  untried: 'unknown',
  unreachable: 'stuck',
}

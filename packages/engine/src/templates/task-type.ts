import type { TaskType } from '@panoptes/schema'
import { type Kind, type OwnTools, toolKind } from './tool-kinds.ts'

/** More than this share of the calls must have one kind. */
const DOMINANT = 0.6

export interface CalledTool {
  readonly tool: string
  readonly calls: number
}

export type KindCounts = Readonly<Record<Kind, number>>

const KINDS: readonly Kind[] = ['code', 'file', 'research', 'terminal']

/** Returns the kind of work that calls suggest, counting unknown tools in the total. */
export function detectTaskType(called: readonly CalledTool[], own?: OwnTools): TaskType {
  const total = called.reduce((sum, { calls }) => sum + calls, 0)
  if (total === 0) return 'mixed'
  const counts = kindCounts(called, own)
  return KINDS.find((kind) => counts[kind] / total > DOMINANT) ?? 'mixed'
}

export function kindCounts(called: readonly CalledTool[], own?: OwnTools): KindCounts {
  const counts = { code: 0, file: 0, research: 0, terminal: 0 }
  for (const { tool, calls } of called) {
    const kind = toolKind(tool, own)
    if (kind) counts[kind] += calls
  }
  return counts
}

import type { AgentState, Outcome } from '@panoptes/schema'
import { Glyph, type GlyphName } from './glyph.tsx'

/** The glyph of an agent's state and, once it ended, of its outcome. */
function stateGlyph(state: AgentState, outcome: Outcome | null): GlyphName {
  if (state === 'waiting' || state === 'stuck' || state === 'failed') return state
  if (state === 'working') return 'working'
  if (outcome === 'functional') return 'done'
  if (outcome === 'fail') return 'failed'
  if (outcome === 'stopped' || outcome === 'lost') return outcome
  return outcome === null ? 'unknown' : 'partial'
}

export function StateGlyph(props: {
  readonly state: AgentState
  readonly outcome: Outcome | null
  readonly size?: number
}) {
  return <Glyph name={stateGlyph(props.state, props.outcome)} size={props.size ?? 16} />
}

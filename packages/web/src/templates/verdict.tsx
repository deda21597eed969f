import type { ListedTemplate, TemplateVerdict } from '@panoptes/schema'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import { words } from '../words.ts'

const w = words.templates
/** Each side needs this many sessions before a difference is shown. */
export const LEAST_SESSIONS = 10

const glyphs: Record<TemplateVerdict, GlyphName> = {
  helps: 'done',
  harms: 'failed',
  unclear: 'unknown',
  no_evidence: 'unknown',
  not_used: 'unknown',
}

/** The verdict on a template and the number of sessions behind it. */
export function Verdict({
  effect,
  line = false,
}: {
  readonly effect: ListedTemplate['effect']
  readonly line?: boolean
}) {
  return (
    <span className="flex min-w-0 items-start gap-1.5">
      <span className="flex pt-0.5">
        <Glyph name={glyphs[effect.verdict]} size={14} />
      </span>
      <span className={line ? 'flex min-w-0 flex-wrap gap-x-1.5' : 'min-w-0'}>
        <span className="block truncate">{w.verdicts[effect.verdict]}</span>
        <span className="block truncate text-11 leading-[18px] text-text-3">{sessionCounts(effect)}</span>
      </span>
    </span>
  )
}

function sessionCounts({
  with_sessions: withIt,
  without_sessions: without,
}: ListedTemplate['effect']): string {
  return withIt < LEAST_SESSIONS ? w.sessions(withIt) : w.compared(withIt, without)
}

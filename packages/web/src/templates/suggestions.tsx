import type { Suggestion } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { useHasRole } from '../api/me.ts'
import { Button } from '../design/button.tsx'
import { Glyph } from '../design/glyph.tsx'
import { errorText } from '../sessions/strips.tsx'
import { words } from '../words.ts'
import { makeTemplate } from './make-dialog-state.ts'
import { suggestedQuery } from './queries.ts'

const w = words.templates.suggested
const LONGEST = 120

/** Sessions that would make good templates. */
export function Suggestions() {
  const { data = [], error } = useQuery(suggestedQuery)
  if (error !== null)
    return (
      <p role="alert" className="text-12 text-failed">
        {w.failed} {errorText(error)}
      </p>
    )
  if (data.length === 0) return null
  return (
    <section aria-label={w.title}>
      <h2 className="pb-1.5 text-11 font-semibold text-text-3">{w.title}</h2>
      <SuggestedList suggested={data} />
    </section>
  )
}

export function SuggestedList({ suggested }: { readonly suggested: readonly Suggestion[] }) {
  return (
    <ul aria-label={w.title} className="divide-y divide-line border-t border-line">
      {suggested.map((one) => (
        <SuggestedRow key={`${one.source} ${one.id}`} suggestion={one} />
      ))}
    </ul>
  )
}

function SuggestedRow({ suggestion: one }: { readonly suggestion: Suggestion }) {
  const mayMake = useHasRole('member')
  const title = toVisibleLine(one.title ?? one.id, LONGEST)
  const why = [words.templates.types[one.task_type], w.calls(one.calls), ...one.reasons.map(lowercaseFirst)]
  return (
    <li className="flex items-center gap-2 py-1.5 text-12">
      <Glyph name="done" size={14} />
      <span className="flex min-w-0 flex-1 gap-x-2 max-desk:flex-col">
        <span className="max-w-full shrink-0 truncate font-semibold desk:max-w-[50%]">{title}</span>
        <span className="min-w-0 flex-1 truncate text-text-3" title={why.join(' · ')}>
          {why.map((part) => toVisibleLine(part, LONGEST)).join(' · ')}
        </span>
      </span>
      {mayMake && (
        <Button aria-label={w.previewLabel(title)} onClick={() => makeTemplate(one)}>
          {w.preview}
        </Button>
      )}
    </li>
  )
}

/** Lowercases a reason for the middle of a line. */
const lowercaseFirst = (reason: string): string => reason.slice(0, 1).toLowerCase() + reason.slice(1)

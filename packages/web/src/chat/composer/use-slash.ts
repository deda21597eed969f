import type { TemplatesReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { templatesQuery } from '../../templates/queries.ts'
import { type Named, slashIn, slashMatches } from './slash.ts'

export interface Slash {
  /** Null where nothing is looked for. */
  readonly found: readonly Named[] | null
  readonly hasAny: boolean
  readonly at: number
  readonly move: (by: number) => void
  /** Until something else is typed. */
  readonly close: () => void
}

export type ListedTemplate = TemplatesReply['templates'][number]

const NONE: readonly ListedTemplate[] = []

/** Templates, one of each name. */
export function useTemplates(): readonly ListedTemplate[] {
  const all = useQuery(templatesQuery).data?.templates ?? NONE
  return useMemo(() => all.filter((one, i) => all.findIndex(({ name }) => name === one.name) === i), [all])
}

/** What can be named by what stands after a slash. */
export function useSlash(
  text: string,
  templates: readonly ListedTemplate[],
  skills: readonly { readonly name: string; readonly reasons: readonly string[] }[],
): Slash {
  const [at, setAt] = useState(0)
  const [closed, setClosed] = useState<string | null>(null)
  const typed = slashIn(text)
  const all = useMemo<readonly Named[]>(
    () => [
      ...templates.map(({ name, description }) => ({
        kind: 'template' as const,
        name,
        about: description ?? '',
      })),
      ...skills.map(({ name, reasons }) => ({ kind: 'skill' as const, name, about: reasons.join(', ') })),
    ],
    [templates, skills],
  )
  const found = useMemo(() => (typed === null ? null : slashMatches(typed, all)), [typed, all])
  const count = found?.length ?? 0
  return {
    found: closed === text ? null : found,
    hasAny: all.length > 0,
    at: Math.min(at, Math.max(0, count - 1)),
    move: (by) => setAt((before) => (count === 0 ? 0 : (Math.min(before, count - 1) + by + count) % count)),
    close: () => setClosed(text),
  }
}

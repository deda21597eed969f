import type { EffectMeasure, ListedTemplate, TemplateVerdict } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { toVisibleLine } from '@panoptes/schema/shown'
import { memo } from 'react'
import { classes } from '../design/class-names.ts'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import { Tag } from '../design/tag.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { differenceText, formatPoints, readingGlyph } from './format.ts'

const w = words.templates
const LONGEST = 120

export const columns =
  'grid grid-cols-[minmax(112px,1fr)_66px_54px_40px_minmax(84px,0.8fr)_56px_128px] gap-x-2.5 px-4 @[800px]:grid-cols-[minmax(130px,1fr)_72px_60px_48px_186px_60px_146px]'
const MIDDLE = 10

const looks = {
  done: { color: 'text-done', mark: <path d="m0-5 5 5-5 5-5-5Z" fill="currentColor" /> },
  failed: { color: 'text-failed', mark: <path d="M-4-4h8v8h-8Z" fill="currentColor" /> },
  unknown: {
    color: 'text-text-3',
    mark: <circle r="3.8" className="fill-surface" stroke="currentColor" strokeWidth="1.8" />,
  },
} as const
/** Each side needs this many sessions before a difference is shown. */
const LEAST_SESSIONS = 10

const glyphs: Record<TemplateVerdict, GlyphName> = {
  helps: 'done',
  harms: 'failed',
  unclear: 'unknown',
  no_evidence: 'unknown',
  not_used: 'unknown',
}

interface RowProps {
  readonly id: string
  readonly index: number
  readonly template: ListedTemplate
  /** The value at both ends of its bar. */
  readonly reach: number
  readonly open: boolean
  readonly active: boolean
  /** Shows three lines, because the columns do not fit. */
  readonly card: boolean
  readonly onOpen: (index: number) => void
}

export const TemplateRow = memo(function TemplateRow(props: RowProps) {
  const { template, reach, open, active, card } = props
  return (
    <tr
      id={props.id}
      aria-rowindex={props.index + 2}
      aria-selected={open}
      onClick={() => props.onOpen(props.index)}
      className={classes(
        'group w-full cursor-pointer border-b border-line',
        card ? 'flex h-21 flex-col justify-center gap-1 px-4' : `h-12 items-center text-12 ${columns}`,
        open ? 'bg-high shadow-[inset_3px_0_0_var(--gold)]' : active ? 'bg-raised' : 'hover:bg-raised',
      )}
    >
      {card ? <Card template={template} reach={reach} /> : <Cells template={template} reach={reach} />}
    </tr>
  )
})

type Shown = Pick<RowProps, 'template' | 'reach'>

function Cells({ template, reach }: Shown) {
  const { effect } = template
  return (
    <>
      <td className="min-w-0">
        <Name template={template} />
        <span className="block truncate text-11 text-text-3">{placeText(template)}</span>
      </td>
      <td>
        <TypeTag template={template} />
      </td>
      <td className="text-right">{f.shortCount(template.examples)}</td>
      <td className="text-right">{f.shortCount(template.usage_count)}</td>
      <td>
        <Errors template={template} reach={reach} />
      </td>
      <td className={classes('text-right font-semibold whitespace-nowrap', differenceColor(template))}>
        {differenceText(effect.tool_errors)}
      </td>
      <td className="min-w-0">
        <Verdict effect={effect} />
      </td>
    </>
  )
}

function Card({ template, reach }: Shown) {
  const { effect } = template
  return (
    <>
      <td className="flex min-w-0 items-center gap-2">
        <Name template={template} />
        <span className="ml-auto">
          <TypeTag template={template} />
        </span>
      </td>
      <td className="flex min-w-0 gap-2 text-11 text-text-3">
        <span className="min-w-0 flex-1 truncate">{placeText(template)}</span>
        <span className="whitespace-nowrap">
          {w.examples.count(template.examples)} · {w.panel.used(template.usage_count)}
        </span>
      </td>
      <td className="flex min-w-0 items-center gap-3 text-12">
        <span className="min-w-0 flex-1">
          <Verdict effect={effect} line />
        </span>
        {effect.tool_errors.low !== null && (
          <span className="w-24 shrink-0">
            <IntervalBar measure={effect.tool_errors} reach={reach} />
          </span>
        )}
        <span className={classes('shrink-0 text-right font-semibold', differenceColor(template))}>
          {differenceText(effect.tool_errors)}
        </span>
      </td>
    </>
  )
}

function Name({ template: { name } }: { readonly template: ListedTemplate }) {
  const shown = toVisibleLine(name, LONGEST)
  return (
    <span title={shown} className="block truncate font-mono text-12 font-semibold">
      {shown}
    </span>
  )
}

const TypeTag = ({ template }: { readonly template: ListedTemplate }) => (
  <Tag className="group-aria-selected:bg-surface">{w.types[template.task_type]}</Tag>
)

function Errors({ template, reach }: Shown) {
  const { tool_errors: measure } = template.effect
  if (measure.low === null)
    return <span className="block text-11 leading-[14px] text-text-3">{w.needs(LEAST_SESSIONS)}</span>
  return <IntervalBar measure={measure} reach={reach} />
}

const placeText = ({ place, notes }: ListedTemplate): string =>
  [
    notes?.project == null ? null : toVisibleLine(notes.project, LONGEST),
    place === 'hermes' ? w.inHermes : null,
  ]
    .filter((part) => part !== null)
    .join(' · ') || w.noProject

function differenceColor({ effect }: ListedTemplate): string {
  const glyph = readingGlyph(effect.tool_errors)
  return glyph === 'done' ? 'text-done' : glyph === 'failed' ? 'text-failed' : 'text-text-2'
}

/** A difference with its confidence interval around zero. `reach` is the value at both ends. */
function IntervalBar({ measure, reach }: { readonly measure: EffectMeasure; readonly reach: number }) {
  const { difference, low, high } = measure
  if (difference === null || low === null || high === null) return null
  const glyph = readingGlyph(measure)
  const { color, mark } = looks[glyph === 'done' || glyph === 'failed' ? glyph : 'unknown']
  const at = (value: number) => `${50 + (clamp(value, -reach, reach) / reach) * 48}%`
  return (
    <svg
      role="img"
      aria-label={w.interval(formatPoints(difference), formatPoints(low), formatPoints(high))}
      width="100%"
      height={2 * MIDDLE}
      className={`block overflow-visible ${color}`}
    >
      <line x1="50%" x2="50%" y1="2" y2="18" className="stroke-line-strong" />
      <g stroke="currentColor" strokeWidth="1.6">
        <line x1={at(low)} x2={at(high)} y1={MIDDLE} y2={MIDDLE} />
        {Math.abs(low) <= reach && <line x1={at(low)} x2={at(low)} y1="6" y2="14" />}
        {Math.abs(high) <= reach && <line x1={at(high)} x2={at(high)} y1="6" y2="14" />}
      </g>
      <svg x={at(difference)} y={MIDDLE} className="overflow-visible" aria-hidden="true">
        {mark}
      </svg>
    </svg>
  )
}

/** The verdict on a template and the number of sessions behind it. */
function Verdict({
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

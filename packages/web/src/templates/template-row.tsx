import type { ListedTemplate } from '@panoptes/schema'
import { memo } from 'react'
import { classes } from '../design/class-names.ts'
import { Tag } from '../design/tag.tsx'
import * as f from '../format.ts'
import { oneLine } from '../sessions/visible-text.ts'
import { words } from '../words.ts'
import { differenceText, readingGlyph } from './format.ts'
import { IntervalBar } from './interval-bar.tsx'
import { LEAST_SESSIONS, Verdict } from './verdict.tsx'

const w = words.templates
const LONGEST = 120

export const columns =
  'grid grid-cols-[minmax(112px,1fr)_66px_54px_40px_minmax(84px,0.8fr)_56px_128px] gap-x-2.5 px-4 @[800px]:grid-cols-[minmax(130px,1fr)_72px_60px_48px_186px_60px_146px]'

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
  const shown = oneLine(name, LONGEST)
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
  [notes?.project == null ? null : oneLine(notes.project, LONGEST), place === 'hermes' ? w.inHermes : null]
    .filter((part) => part !== null)
    .join(' · ') || w.noProject

function differenceColor({ effect }: ListedTemplate): string {
  const glyph = readingGlyph(effect.tool_errors)
  return glyph === 'done' ? 'text-done' : glyph === 'failed' ? 'text-failed' : 'text-text-2'
}

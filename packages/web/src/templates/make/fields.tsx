import type { TaskType, TemplatePreview } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import type { ReactNode } from 'react'
import { words } from '../../words.ts'
import { TYPES } from '../search-params.ts'
import { formatCallTypeCounts } from './call-type-counts.ts'

const w = words.templates
const LONGEST_NAME = 120
/** The maximum number of examples in a template. */
const MOST = 100

/** The name, type and number of examples. */
export function Fields(props: {
  readonly preview: TemplatePreview
  readonly name: string
  readonly type: TaskType | undefined
  readonly most: number
  readonly onName: (name: string) => void
  readonly onType: (type: TaskType | undefined) => void
  readonly onMost: (most: number) => void
}) {
  const { preview, type, most } = props
  return (
    <div className="grid gap-3 desk:grid-cols-[minmax(0,1fr)_190px_110px]">
      <Field label={w.make.name}>
        <input
          value={props.name}
          placeholder={preview.template.name}
          maxLength={LONGEST_NAME}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => props.onName(event.target.value)}
          className={`font-mono ${fieldClass}`}
        />
      </Field>
      <Field label={w.make.type} note={formatCallTypeCounts(preview.by_type)}>
        <select
          value={type ?? ''}
          onChange={({ target }) => props.onType(TYPES.find((one) => one === target.value))}
          className={fieldClass}
        >
          <option value="">
            {type === undefined ? w.make.judged(w.types[preview.template.task_type]) : w.make.asJudged}
          </option>
          {TYPES.map((one) => (
            <option key={one} value={one}>
              {w.types[one]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={w.make.examples}>
        <input
          type="number"
          min={1}
          max={MOST}
          value={most}
          onChange={({ target }) => {
            const next = target.valueAsNumber
            if (Number.isInteger(next)) props.onMost(clamp(next, 1, MOST))
          }}
          className={`text-right ${fieldClass}`}
        />
      </Field>
    </div>
  )
}

const fieldClass =
  'h-7 w-full min-w-0 rounded-control border border-line-strong bg-surface px-2.5 text-12 text-text placeholder:text-text-3 touch:h-11'

function Field(props: { readonly label: string; readonly note?: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is passed as a child
    <label className="flex flex-col gap-1 text-11 text-text-3">
      {props.label}
      {props.children}
      {props.note !== undefined && <span>{props.note}</span>}
    </label>
  )
}

import type { Problem } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import { type ReactNode, useId } from 'react'
import { classes } from '../../design/class-names.ts'
import { words } from '../../words.ts'
import { type Draft, problemsAt, type SlotDraft } from './draft.ts'

export const fieldClass =
  'h-7 w-full min-w-0 rounded-control border border-line-strong bg-surface px-2.5 text-12 text-text placeholder:text-text-3 aria-invalid:border-failed touch:h-11'
const w = words.moa.presets

/** A form field with its label and the problems that the server reported. */
export function Field(props: {
  readonly label: string
  readonly hidden?: boolean
  readonly problems?: readonly string[]
  readonly className?: string
  readonly children: (fieldProps: {
    readonly id: string
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string | undefined
  }) => ReactNode
}) {
  const id = useId()
  const problems = props.problems ?? []
  const wrong = problems.length > 0
  return (
    <div className={classes('flex min-w-0 flex-col gap-1', props.className)}>
      <label
        htmlFor={id}
        className={props.hidden ? 'sr-only' : 'truncate text-11 text-text-3'}
        title={props.label}
      >
        {props.label}
      </label>
      {props.children({ id, 'aria-invalid': wrong, 'aria-describedby': wrong ? `${id}-wrong` : undefined })}
      {wrong && (
        <p id={`${id}-wrong`} className="text-11 text-failed [overflow-wrap:anywhere]">
          {problems.map((one) => toVisible(one)).join('; ')}
        </p>
      )}
    </div>
  )
}

/** An optional number. Invalid text is sent unchanged, so that the server reports it. */
function FigureField(props: {
  readonly label: string
  readonly value: string
  readonly none: string
  readonly problems: readonly string[]
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={props.label} problems={props.problems}>
      {(fieldProps) => (
        <input
          {...fieldProps}
          inputMode="decimal"
          value={props.value}
          placeholder={props.none}
          maxLength={20}
          autoComplete="off"
          spellCheck={false}
          className={`text-right ${fieldClass}`}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

function ChoiceField<T extends string>(props: {
  readonly label: string
  readonly value: T
  readonly choices: Readonly<Record<T, string>>
  readonly problems: readonly string[]
  readonly onChange: (value: T) => void
}) {
  const values = Object.keys(props.choices) as T[]
  return (
    <Field label={props.label} problems={props.problems}>
      {(fieldProps) => (
        <select
          {...fieldProps}
          value={props.value}
          className={fieldClass}
          onChange={({ target }) => props.onChange(values.find((one) => one === target.value) ?? props.value)}
        >
          {values.map((one) => (
            <option key={one} value={one}>
              {props.choices[one]}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export interface PartProps {
  readonly draft: Draft
  readonly problems: readonly Problem[]
  readonly change: (part: Partial<Draft>) => void
}

/** When references are asked, and their time and cost limits. */
export function Limits({ draft, problems, change }: PartProps) {
  const wrong = (field: string) => problemsAt(problems, field)
  return (
    <section aria-label={w.limits} className="flex flex-col gap-2">
      <h3 className="text-12 font-semibold">
        {w.limits} <span className="font-normal text-text-3">{w.limitsHint}</span>
      </h3>
      <div className="grid grid-cols-2 gap-x-3 gap-y-2.5 desk:grid-cols-3 wide:grid-cols-4">
        <ChoiceField
          label={w.fanout}
          value={draft.fanout}
          choices={w.fanouts}
          problems={draft.fanout === 'every_n' ? [] : wrong('fanout')}
          onChange={(fanout) => change({ fanout })}
        />
        {draft.fanout === 'every_n' && (
          <FigureField
            label={w.every}
            value={draft.every}
            none="5"
            problems={wrong('fanout')}
            onChange={(every) => change({ every })}
          />
        )}
        <ChoiceField
          label={w.policy}
          value={draft.policy}
          choices={w.policies}
          problems={wrong('degraded_reference_policy')}
          onChange={(policy) => change({ policy })}
        />
        <FigureField
          label={w.deadline}
          value={draft.deadline}
          none={w.none}
          problems={wrong('deadline')}
          onChange={(deadline) => change({ deadline })}
        />
        <FigureField
          label={w.timeout}
          value={draft.timeout}
          none={w.none}
          problems={wrong('reference_timeout')}
          onChange={(timeout) => change({ timeout })}
        />
        <FigureField
          label={w.quorum}
          value={draft.quorum}
          none={w.none}
          problems={wrong('quorum')}
          onChange={(quorum) => change({ quorum })}
        />
        <FigureField
          label={w.maxCost}
          value={draft.maxCost}
          none={w.none}
          problems={wrong('max_cost_usd')}
          onChange={(maxCost) => change({ maxCost })}
        />
        <FigureField
          label={w.budget}
          value={draft.budget}
          none="4000"
          problems={wrong('reference_tool_result_budget')}
          onChange={(budget) => change({ budget })}
        />
        <FigureField
          label={w.referenceTemperature}
          value={draft.referenceTemperature}
          none={w.asModel}
          problems={wrong('reference_temperature')}
          onChange={(referenceTemperature) => change({ referenceTemperature })}
        />
        <FigureField
          label={w.aggregatorTemperature}
          value={draft.aggregatorTemperature}
          none={w.asModel}
          problems={wrong('aggregator_temperature')}
          onChange={(aggregatorTemperature) => change({ aggregatorTemperature })}
        />
      </div>
    </section>
  )
}

/** The provider, model and effort of one slot. */
export function SlotFields(props: {
  readonly name: string
  /** The path of the slot in the preset, as the server names it. */
  readonly path: string
  readonly slot: SlotDraft
  readonly providers: readonly string[]
  readonly problems: readonly Problem[]
  readonly onChange: (slot: SlotDraft) => void
  readonly lead?: ReactNode
  readonly end?: ReactNode
}) {
  const { name, path, slot, problems, onChange } = props
  const isListed = props.providers.includes(slot.provider) || slot.provider === ''
  const own = problemsAt(
    problems.filter(({ path: at }) => !/(provider|model|reasoning_effort)$/.test(at)),
    path,
  )
  return (
    <fieldset className="flex flex-wrap items-start gap-2 desk:flex-nowrap">
      <legend className="sr-only">{name}</legend>
      {props.lead !== undefined && <span className="pt-1">{props.lead}</span>}
      <Field
        label={`${name}, ${w.provider}`}
        hidden
        problems={[...problemsAt(problems, `${path}.provider`), ...own]}
        className="flex-1 basis-28"
      >
        {(fieldProps) => (
          <select
            {...fieldProps}
            value={slot.provider}
            className={fieldClass}
            onChange={({ target }) => onChange({ ...slot, provider: target.value })}
          >
            <option value="">{w.noProvider}</option>
            {!isListed && <option value={slot.provider}>{slot.provider}</option>}
            {props.providers.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={`${name}, ${w.model}`}
        hidden
        problems={problemsAt(problems, `${path}.model`)}
        className="flex-[2] basis-40"
      >
        {(fieldProps) => (
          <input
            {...fieldProps}
            value={slot.model}
            placeholder={w.model}
            maxLength={200}
            list="moa-models"
            spellCheck={false}
            autoComplete="off"
            className={`font-mono ${fieldClass}`}
            onChange={({ target }) => onChange({ ...slot, model: target.value })}
          />
        )}
      </Field>
      <Field
        label={`${name}, ${w.effort}`}
        hidden
        problems={problemsAt(problems, `${path}.reasoning_effort`)}
        className="flex-1 basis-24"
      >
        {(fieldProps) => (
          <input
            {...fieldProps}
            value={slot.effort}
            placeholder={w.effort}
            maxLength={40}
            list="moa-efforts"
            spellCheck={false}
            autoComplete="off"
            className={fieldClass}
            onChange={({ target }) => onChange({ ...slot, effort: target.value })}
          />
        )}
      </Field>
      {props.end}
    </fieldset>
  )
}

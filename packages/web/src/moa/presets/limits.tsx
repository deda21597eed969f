import type { Problem } from '@panoptes/schema'
import type { ReactNode } from 'react'
import { words } from '../../words.ts'
import { type Draft, problemsAt, type SlotDraft } from './draft.ts'
import { ChoiceField, Field, FigureField, fieldClass } from './fields.tsx'

const w = words.moa.presets

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

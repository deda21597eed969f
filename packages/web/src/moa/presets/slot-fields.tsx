import type { Problem } from '@panoptes/schema'
import type { ReactNode } from 'react'
import { words } from '../../words.ts'
import { problemsAt, type SlotDraft } from './draft.ts'
import { Field, fieldClass } from './fields.tsx'

const w = words.moa.presets

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

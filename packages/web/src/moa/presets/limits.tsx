import type { Problem } from '@panoptes/schema'
import { words } from '../../words.ts'
import { type Draft, problemsAt } from './draft.ts'
import { ChoiceField, FigureField } from './fields.tsx'

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

import type { RuntimeHealth } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Glyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import { shortModel } from '../../ledger/plot/models.ts'
import { modelFamily } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { PickMenu } from '../pick-menu.tsx'
import { isReady, runtimeGlyph, runtimeTitle } from '../runtimes.ts'

const w = words.chat.head
const NAME = 60

/** The runtime that answers next. */
export interface RuntimeChoice {
  readonly runtime: string | null
  /** Null selects the runtime's default model. */
  readonly model: string | null
}

/** Chooses the runtime, shown with its state, and the model. */
export function Pickers(props: {
  readonly runtimes: readonly RuntimeHealth[]
  readonly chosen: RuntimeChoice
  readonly onChange: (chosen: RuntimeChoice) => void
}) {
  const { runtimes, chosen, onChange } = props
  const own = runtimes.find(({ id }) => id === chosen.runtime)
  const model = chosen.model ?? own?.models[0] ?? null
  return (
    <>
      <PickMenu
        label={w.runtime}
        lead={<Glyph name={own ? runtimeGlyph(own) : 'unknown'} size={12} />}
        shown={chosen.runtime === null ? w.noRuntime : runtimeTitle(runtimes, chosen.runtime)}
        picks={runtimes.map((one) => ({
          value: one.id,
          label: runtimeTitle(runtimes, one.id),
          glyph: runtimeGlyph(one),
          note: words.chat.side.over(words.chat.side.states[one.state], one.transport),
          ...(isReady(one) || one.detail === '' ? {} : { detail: one.detail }),
        }))}
        chosen={chosen.runtime}
        onPick={(runtime) => onChange({ runtime, model: null })}
        empty={w.noRuntime}
      />
      {own && (own.models.length > 0 || model !== null) && (
        <PickMenu
          label={w.model}
          lead={<ModelPips model={modelFamily(model)} size={12} />}
          shown={model === null ? w.ownModel : toVisibleLine(shortModel(model), NAME)}
          picks={own.models.map((one, i) => ({
            value: one,
            label: toVisibleLine(one, NAME),
            ...(i === 0 ? { note: w.usualModel } : {}),
          }))}
          chosen={model}
          onPick={(next) => onChange({ runtime: own.id, model: next === own.models[0] ? null : next })}
          empty={w.ownModel}
        />
      )}
    </>
  )
}

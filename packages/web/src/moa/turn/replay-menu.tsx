import type { MoaTurn, PresetsReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { type Action, ActionMenu } from '../../design/action-menu.tsx'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { shortModel } from '../../ledger/plot/models.ts'
import { words } from '../../words.ts'
import { referenceLetter } from '../format.ts'
import { groupByPlace } from '../preset-slots.ts'
import { fieldClass } from '../presets/fields.tsx'

const w = words.moa.replay
const LONGEST = 60
const MOST = 8

/** What a replay may change. */
export interface ReplayChange {
  readonly aggregator?: string
  readonly without?: string
}

/** Runs a recorded turn again with one change. */
export function ReplayMenu(props: {
  readonly turn: MoaTurn
  readonly presets: PresetsReply | undefined
  readonly onReplay: (changed: ReplayChange) => void
}) {
  const { turn, presets, onReplay } = props
  const [asks, setAsks] = useState(false)
  const { references, aggregator } = groupByPlace(turn.slots)
  const acts = aggregator.at(-1)
  const others = modelsIn(presets).filter((model) => model !== (acts && `${acts.provider}/${acts.model}`))
  const groups: readonly (readonly Action[])[] = [
    [{ label: w.same, note: w.sameNote, run: () => onReplay({}) }],
    [
      ...others.slice(0, MOST).map(
        (model): Action => ({
          label: w.aggregator(toVisibleLine(model, LONGEST)),
          run: () => onReplay({ aggregator: model }),
        }),
      ),
      { label: w.other, run: () => setAsks(true) },
    ],
    references.flatMap((calls, place): Action[] => {
      const slot = calls.at(-1)
      if (slot === undefined) return []
      const label = w.without(referenceLetter(place), toVisibleLine(shortModel(slot.model), LONGEST))
      return [{ label, run: () => onReplay({ without: String(place + 1) }) }]
    }),
  ]
  return (
    <>
      <ActionMenu key={turn.id} label={w.menu} groups={groups.filter((group) => group.length > 0)} />
      {asks && (
        <AskModel
          models={others}
          onClose={() => setAsks(false)}
          onModel={(model) => onReplay({ aggregator: model })}
        />
      )}
    </>
  )
}

/** The models of all presets, as provider/model. */
function modelsIn(presets: PresetsReply | undefined): readonly string[] {
  const slots = (presets?.presets ?? []).flatMap(({ preset }) => [
    preset.aggregator,
    ...preset.reference_models,
  ])
  return [...new Set(slots.map(({ provider, model }) => `${provider}/${model}`))]
}

function AskModel(props: {
  readonly models: readonly string[]
  readonly onClose: () => void
  readonly onModel: (model: string) => void
}) {
  const [model, setModel] = useState('')
  const isNamed = /^[^/\s]+\/\S+$/.test(model.trim())
  return (
    <Dialog open onClose={props.onClose} title={w.dialog} width="max-w-110">
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isNamed) return
          props.onModel(model.trim())
          props.onClose()
        }}
      >
        <p className="text-12 text-text-2">{w.hint}</p>
        <label className="flex flex-col gap-1 text-11 text-text-3">
          {w.field}
          <input
            value={model}
            maxLength={200}
            list="moa-other-models"
            spellCheck={false}
            autoComplete="off"
            className={`font-mono ${fieldClass}`}
            onChange={(event) => setModel(event.target.value)}
          />
        </label>
        <datalist id="moa-other-models">
          {props.models.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div className="flex justify-end gap-2">
          <Button kind="quiet" onClick={props.onClose}>
            {words.actions.cancel}
          </Button>
          <Button kind="main" type="submit" disabled={!isNamed}>
            {w.run}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

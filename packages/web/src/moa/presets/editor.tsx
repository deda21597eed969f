import type { ListedPreset, PresetsReply, Problem } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useMemo, useState } from 'react'
import { canDecideForAll, hasRole, useMe } from '../../api/me.ts'
import { RequestFailure } from '../../api/request.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { Code } from '../../design/code.tsx'
import { Strip } from '../../design/strip.tsx'
import { Tag } from '../../design/tag.tsx'
import { toast } from '../../design/toast.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { showFailure } from '../../shell/show-failure.ts'
import { words } from '../../words.ts'
import { referenceLetter } from '../format.ts'
import { deletePreset, savePreset } from '../queries.ts'
import { TestRun } from '../run/test-run.tsx'
import { Letter } from '../turn/card.tsx'
import {
  type Draft,
  emptyDraft,
  emptySlot,
  isWhole,
  listFormProblems,
  problemsAt,
  type SlotDraft,
  toDraft,
  toPreset,
} from './draft.ts'
import { Field, fieldClass, Limits, type PartProps, SlotFields } from './fields.tsx'

const w = words.moa.presets
const MOST_REFERENCES = 16
const EFFORTS = ['low', 'medium', 'high']

/** A preset as a form, with a test run beside it. */
export function PresetEditor(props: {
  /** Missing for a new preset. */
  readonly listed: ListedPreset | undefined
  readonly presets: PresetsReply
  readonly onSaved: (name: string) => void
  readonly onGone: () => void
}) {
  const { listed, presets } = props
  const providers = presets.providers.map(({ name }) => name)
  const first = presets.providers.find(({ from, has_key }) => from === 'config' || has_key)?.name
  const [draft, setDraft] = useState<Draft>(() =>
    listed ? toDraft(listed.name, listed.preset) : emptyDraft(first ?? providers[0] ?? ''),
  )
  const [savedDraft, setSavedDraft] = useState(listed ? draft : null)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  const isReadOnly = listed?.from === 'hermes'
  const me = useMe()
  const mayKeep = canDecideForAll(me)
  const isOfHubs = me !== null && listed?.from === 'config'
  const isSaved = savedDraft !== null && JSON.stringify(savedDraft) === JSON.stringify(draft)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const save = async (): Promise<boolean> => {
    const name = draft.name.trim()
    setFailure(null)
    if (name === '') {
      setProblems([{ path: 'name', reason: w.noName }])
      return false
    }
    try {
      await savePreset(name, toPreset(draft))
      setProblems([])
      setSavedDraft(draft)
      toast({ text: w.saved(name) })
      props.onSaved(name)
      return true
    } catch (error) {
      setProblems(error instanceof RequestFailure ? error.problems : [])
      if (!(error instanceof RequestFailure) || error.problems.length === 0) setFailure(errorText(error))
      return false
    }
  }
  const others = listFormProblems(problems).filter(({ path }) => path !== 'name')
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-3">
      <form
        aria-label={listed ? listed.name : w.newTitle}
        className="flex flex-col gap-4 rounded-card border border-line bg-raised p-3.5"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 flex-1 truncate text-15 font-semibold">
            {listed ? words.moa.model(toVisibleLine(listed.name, 60)) : w.newTitle}
          </h2>
          {!isSaved && savedDraft !== null && <Tag>{w.unsaved}</Tag>}
          {listed && !isReadOnly && !isOfHubs && mayKeep && (
            <Button kind="quiet" onClick={() => void deleteWithUndo(listed, props.onGone)}>
              {w.delete}
            </Button>
          )}
          {!isReadOnly && !isWhole(draft) && <span className="text-11 text-text-3">{w.lacks}</span>}
          {mayKeep && (
            <Button kind="main" type="submit" disabled={!isReadOnly && (isSaved || !isWhole(draft))}>
              {isReadOnly ? w.copyOwn : w.save}
            </Button>
          )}
        </div>
        {!mayKeep && <p className="text-12 text-text-2">{words.team.forAll}</p>}
        {isReadOnly && mayKeep && <p className="text-12 text-text-2">{w.readOnly}</p>}
        {isOfHubs && mayKeep && <p className="text-12 text-text-2">{w.ofHubs}</p>}
        {failure !== null && (
          <Strip alert glyph="failed">
            {w.notSaved} {toVisible(failure)}
          </Strip>
        )}
        {problems.length > 0 && others.length === 0 && (
          <Strip alert glyph="failed">
            {w.notSaved} {w.lookBelow}
          </Strip>
        )}
        {others.length > 0 && (
          <Strip alert glyph="failed">
            {w.notSaved} {others.map(({ path, reason }) => toVisible(`${path} ${reason}`)).join('; ')}
          </Strip>
        )}
        {listed && listed.problems.length > 0 && problems.length === 0 && (
          <Strip glyph="stuck">{listed.problems.map((one) => toVisible(one)).join(' ')}</Strip>
        )}
        {!listed && (
          <Field label={w.name} problems={problemsAt(problems, 'name')} className="max-w-70">
            {(fieldProps) => (
              <input
                {...fieldProps}
                value={draft.name}
                maxLength={80}
                spellCheck={false}
                autoComplete="off"
                className={`font-mono ${fieldClass}`}
                onChange={({ target }) => change({ name: target.value })}
              />
            )}
          </Field>
        )}
        <p className="-mt-2 text-12 text-text-3">
          {draft.name.trim() === '' ? (
            w.nameHintEmpty
          ) : (
            <>
              {w.nameHint} <Code>{words.moa.model(draft.name.trim())}</Code>
            </>
          )}
        </p>
        <fieldset disabled={!mayKeep} className="contents">
          <Slots draft={draft} providers={providers} problems={problems} change={change} />
          <Limits draft={draft} problems={problems} change={change} />
        </fieldset>
        <Lists presets={presets} />
      </form>
      {hasRole(me, 'member') && (
        <TestRun
          preset={draft.name.trim()}
          isSaved={isSaved || isReadOnly}
          onSave={save}
          isReady={isWhole(draft)}
        />
      )}
    </div>
  )
}

function Slots({
  draft,
  providers,
  problems,
  change,
}: PartProps & { readonly providers: readonly string[] }) {
  const put = (place: number, slot: SlotDraft) =>
    change({ references: draft.references.map((one, i) => (i === place ? slot : one)) })
  const wrong = problems.filter(({ path }) => path === 'reference_models').map(({ reason }) => reason)
  return (
    <>
      <section aria-label={w.references} className="flex flex-col gap-2">
        <h3 className="text-12 font-semibold">
          {w.references} <span className="font-normal text-text-3">{w.referencesHint}</span>
        </h3>
        {draft.references.map((slot, place) => (
          <SlotFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a reference is identified by its position
            key={place}
            name={w.reference(referenceLetter(place))}
            path={`reference_models.${place}`}
            slot={slot}
            providers={providers}
            problems={problems}
            onChange={(next) => put(place, next)}
            lead={<Letter place={place} />}
            end={
              <IconButton
                icon="close"
                kind="quiet"
                label={w.removeReference(referenceLetter(place))}
                onClick={() => change({ references: draft.references.filter((_, i) => i !== place) })}
              />
            }
          />
        ))}
        {wrong.length > 0 && <p className="text-11 text-failed">{wrong.join('; ')}</p>}
        <div>
          <Button
            icon="plus"
            disabled={draft.references.length >= MOST_REFERENCES}
            onClick={() =>
              change({ references: [...draft.references, emptySlot(draft.references.at(-1)?.provider)] })
            }
          >
            {w.addReference}
          </Button>
        </div>
      </section>
      <section aria-label={w.aggregator} className="flex flex-col gap-2">
        <h3 className="text-12 font-semibold">
          {w.aggregator} <span className="font-normal text-text-3">{w.aggregatorHint}</span>
        </h3>
        <SlotFields
          name={w.aggregator}
          path="aggregator"
          slot={draft.aggregator}
          providers={providers}
          problems={problems}
          onChange={(aggregator) => change({ aggregator })}
        />
      </section>
    </>
  )
}

/** Suggestions for the text fields. */
function Lists({ presets }: { readonly presets: PresetsReply }) {
  const models = useMemo(() => {
    const slots = presets.presets.flatMap(({ preset }) => [preset.aggregator, ...preset.reference_models])
    return [...new Set(slots.map(({ model }) => model))]
  }, [presets])
  return (
    <>
      <datalist id="moa-models">
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <datalist id="moa-efforts">
        {EFFORTS.map((effort) => (
          <option key={effort} value={effort} />
        ))}
      </datalist>
    </>
  )
}

/** Deletes a preset; for ten seconds it can be restored unchanged. */
async function deleteWithUndo({ name, preset }: ListedPreset, onGone: () => void): Promise<void> {
  const undo = () => void savePreset(name, preset).then(() => toast({ text: w.restored(name) }), showFailure)
  try {
    await deletePreset(name)
    toast({ text: w.deleted(name), undo })
    onGone()
  } catch (error) {
    showFailure(error)
  }
}

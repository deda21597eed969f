import type { ListedPreset, PresetsReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { canDecideForAll, useMe } from '../../api/me.ts'
import { buttonClass } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { Command } from '../../design/code.tsx'
import { Icon } from '../../design/icon.tsx'
import { Tag } from '../../design/tag.tsx'
import { shortModel } from '../../ledger/plot/models.ts'
import { useMedia } from '../../shell/use-media.ts'
import { words } from '../../words.ts'
import type { Change, MoaSearch } from '../search-params.ts'
import { PresetEditor } from './editor.tsx'

const w = words.moa.presets

/** The list of presets and the open one. */
export function PresetsView(props: {
  readonly presets: PresetsReply
  readonly search: MoaSearch
  readonly go: (change: Change) => void
}) {
  const { presets, search, go } = props
  const narrow = useMedia('(width < 760px)')
  const mayMake = canDecideForAll(useMe())
  const makes = search.make === true && mayMake
  const named = presets.presets.find(({ name }) => name === search.open)
  const chosen = makes || (narrow && search.open === undefined) ? undefined : (named ?? presets.presets[0])
  const isOpen = makes || chosen !== undefined
  const close = () => go({ open: undefined, make: undefined })
  const { editorKey, onMade } = useEditorKey(makes, chosen?.name)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
      <div className="flex gap-4 px-4 py-3 max-desk:flex-col max-desk:px-2.5">
        {(!narrow || !isOpen) && <List presets={presets} chosen={chosen?.name} makes={makes} />}
        {narrow && isOpen && (
          <div>
            <button type="button" className={buttonClass('quiet')} onClick={close}>
              <Icon name="left" size={14} />
              {w.backToList}
            </button>
          </div>
        )}
        {isOpen ? (
          <PresetEditor
            key={editorKey}
            listed={makes ? undefined : chosen}
            presets={presets}
            onSaved={(name) => {
              if (makes) onMade(name)
              go({ open: name, make: undefined })
            }}
            onGone={close}
          />
        ) : (
          !narrow && <p className="text-12 text-text-3">{w.choose}</p>
        )}
      </div>
    </div>
  )
}

/** A new preset keeps its editor when it is saved, because the editor holds the run that tries it. */
function useEditorKey(makes: boolean, chosen: string | undefined) {
  const [form, setForm] = useState<{ count: number; makes: boolean; made: string | null }>({
    count: 0,
    makes,
    made: null,
  })
  if (makes !== form.makes) setForm(makes ? { count: form.count + 1, makes, made: null } : { ...form, makes })
  const isForm = makes || (chosen !== undefined && chosen === form.made)
  return {
    editorKey: isForm ? ` new ${form.count}` : chosen,
    onMade: (made: string) => setForm((before) => ({ ...before, made })),
  }
}

function List(props: {
  readonly presets: PresetsReply
  readonly chosen: string | undefined
  readonly makes: boolean
}) {
  const { presets, chosen } = props
  const mayMake = canDecideForAll(useMe())
  return (
    <nav aria-label={w.list} className="flex w-full shrink-0 flex-col gap-2 desk:w-62">
      <ul className="flex flex-col gap-1">
        {presets.presets.map((listed) => (
          <li key={`${listed.from} ${listed.name}`}>
            <Row
              listed={listed}
              isChosen={!props.makes && listed.name === chosen}
              isDefault={listed.name === presets.default_preset}
            />
          </li>
        ))}
      </ul>
      {mayMake && (
        <div>
          <Link to="/moa" search={{ tab: 'presets', make: true }} className={buttonClass()}>
            <Icon name="plus" size={14} />
            {w.make}
          </Link>
        </div>
      )}
      {presets.presets.length > 0 && (
        <section aria-label={w.client} className="flex flex-col gap-1.5 pt-4 text-11 text-text-3">
          <h2 className="font-semibold">{w.client}</h2>
          <Command text={`${location.origin}/v1`} />
          <p>{w.clientHint}</p>
        </section>
      )}
    </nav>
  )
}

function Row(props: {
  readonly listed: ListedPreset
  readonly isChosen: boolean
  readonly isDefault: boolean
}) {
  const { listed, isChosen } = props
  const { name, preset, from, problems } = listed
  return (
    <Link
      to="/moa"
      search={{ tab: 'presets', open: name }}
      aria-current={isChosen ? 'true' : undefined}
      className={classes(
        'flex flex-col rounded-control px-2.5 py-1.5 transition-colors',
        isChosen ? 'bg-high shadow-[inset_3px_0_0_var(--gold)]' : 'hover:bg-raised',
      )}
    >
      <span className="flex min-w-0 items-center gap-1.5">
        <b className="min-w-0 flex-1 truncate font-semibold">{toVisibleLine(name, 60)}</b>
        {props.isDefault && <Tag>{w.isDefault}</Tag>}
        {!preset.enabled && <Tag>{w.off}</Tag>}
        {problems.length > 0 && <Tag tone="stuck">{w.problems(problems.length)}</Tag>}
      </span>
      <span className="truncate text-11 text-text-3">
        {from === 'hermes'
          ? w.hermes
          : w.about(preset.reference_models.length, toVisibleLine(shortModel(preset.aggregator.model), 40))}
      </span>
    </Link>
  )
}

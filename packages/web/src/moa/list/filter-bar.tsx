import type { PresetsReply } from '@panoptes/schema'
import { mayDecideForAll, useMe } from '../../api/me.ts'
import { IconButton } from '../../design/button.tsx'
import { Chip, chipClass } from '../../design/chip.tsx'
import { ChipMenu } from '../../design/chip-menu.tsx'
import { Icon } from '../../design/icon.tsx'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import type { Change, MoaSearch } from '../search-params.ts'
import { switchTraces } from '../traces-strip.tsx'

const w = words.moa.filter
const LONGEST = 60

/** Filters the turns by preset or session; the switch for text recording is at its end. */
export function FilterBar(props: {
  readonly search: MoaSearch
  readonly presets: PresetsReply | undefined
  readonly go: (change: Change) => void
  readonly onClear: () => void
}) {
  const { search, presets, go } = props
  const { preset, session } = search
  const maySwitch = mayDecideForAll(useMe())
  return (
    <search
      aria-label={w.label}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-2 max-desk:px-2.5"
    >
      <ChipMenu
        label={w.preset}
        shown={preset === undefined ? w.preset : oneLine(preset, LONGEST)}
        choices={(presets?.presets ?? []).map(({ name }) => ({ value: name, label: oneLine(name, LONGEST) }))}
        chosen={preset === undefined ? [] : [preset]}
        onChange={([value]) => go({ preset: value })}
        empty={w.nothing}
      />
      {session !== undefined && (
        <button
          type="button"
          className={`${chipClass(true)} max-w-60`}
          title={w.sessionClear}
          onClick={() => go({ session: undefined })}
        >
          <span className="truncate">{w.session(oneLine(session, LONGEST))}</span>
          <Icon name="close" size={12} />
        </button>
      )}
      {(preset !== undefined || session !== undefined) && (
        <IconButton icon="close" kind="quiet" label={w.clear} onClick={props.onClear} />
      )}
      <span className="flex-1" />
      {presets && maySwitch && (
        <Chip
          on={presets.save_traces}
          title={words.moa.traces.what(presets.trace_dir ?? words.moa.traces.ledger)}
          onClick={() => void switchTraces(!presets.save_traces)}
        >
          {presets.save_traces && <Icon name="check" size={12} />}
          {words.moa.traces.chip}
        </Chip>
      )}
    </search>
  )
}

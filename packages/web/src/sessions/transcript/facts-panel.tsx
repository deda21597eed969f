import type { OutlineReply, PastSession } from '@panoptes/schema'
import { IconButton } from '../../design/button.tsx'
import { SidePanel } from '../../design/side-panel.tsx'
import { useMedia } from '../../shell/use-media.ts'
import { words } from '../../words.ts'
import { Facts } from './facts.tsx'
import { TagsAndNote } from './tags-and-note.tsx'

const w = words.transcript

/** The costs of the session: a column if there is room, else a panel over the transcript on request. */
export function FactsPanel(props: {
  readonly session: PastSession
  readonly outline: OutlineReply | undefined
  readonly current: number | null
  readonly shown: boolean
  readonly onGo: (n: number) => void
  readonly onForget: (session: PastSession) => void
  readonly onClose: () => void
}) {
  const isWide = useMedia('(width >= 1281px)')
  const facts = (
    <Facts
      session={props.session}
      outline={props.outline}
      current={props.current}
      onGo={props.onGo}
      onForget={props.onForget}
    >
      <TagsAndNote session={props.session} />
    </Facts>
  )
  if (isWide)
    return (
      <aside aria-label={w.facts} className="w-51 shrink-0 overflow-y-auto border-l border-line">
        {facts}
      </aside>
    )
  if (!props.shown) return null
  return (
    <SidePanel size="slim" label={w.facts}>
      <div className="flex items-center justify-between px-4 py-2">
        <h2 className="text-13 font-semibold">{w.facts}</h2>
        <IconButton icon="close" kind="quiet" label={w.close} onClick={props.onClose} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">{facts}</div>
    </SidePanel>
  )
}

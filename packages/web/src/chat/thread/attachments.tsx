import type { ChatAttachment, StoredChatMessage } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { classes } from '../../design/class-names.ts'
import { Icon } from '../../design/icon.tsx'
import { Diff } from '../../sessions/transcript/diff.tsx'
import { diffLines } from '../../sessions/transcript/edit.ts'
import { Text } from '../../sessions/transcript/text.tsx'
import { words } from '../../words.ts'
import { detailText } from './summaries.ts'

const w = words.chat.thread
const MOST = 50
const WHOLE = { n: 0, at: 0 }

/** What a runtime reported beside its answer: changed files, and calls that are not shown elsewhere. */
export function Attached(props: { readonly message: StoredChatMessage; readonly areCallsShown: boolean }) {
  const { attachments } = props.message
  const shown = attachments
    .filter(({ kind }) => kind !== 'session' && (kind !== 'tools' || !props.areCallsShown))
    .slice(0, MOST)
  const [isOpen, setIsOpen] = useState(false)
  if (shown.length === 0) return null
  const changed = shown.filter(({ kind }) => kind === 'diff').length
  return (
    <div className="max-w-160 overflow-hidden rounded-control border border-line bg-raised">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-7.5 w-full items-center gap-2 px-2.5 text-left text-12 touch:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={classes('flex text-text-3', isOpen && 'rotate-90')}>
          <Icon name="right" size={12} />
        </span>
        {changed > 0
          ? w.changed(changed)
          : shown.every(({ kind }) => kind === 'tools')
            ? w.calls(callsIn(shown))
            : w.attached}
      </button>
      {isOpen && (
        <ul>
          {shown.map((one, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an attachment is identified by its position
            <li key={i} className="border-t border-line">
              <p className="px-2.5 py-1 font-mono text-11 text-text-2">
                {toVisibleLine(one.title ?? one.kind, 200)}
              </p>
              <Content attachment={one} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const callsIn = (shown: readonly ChatAttachment[]): number =>
  shown.reduce((sum, { data }) => sum + (Array.isArray(data) ? data.length : 1), 0)

function Content({ attachment: { kind, data } }: { readonly attachment: ChatAttachment }) {
  if (kind === 'diff' && isPlainObject(data)) {
    const before = typeof data.old_text === 'string' ? data.old_text : ''
    const after = typeof data.new_text === 'string' ? data.new_text : ''
    return <Diff lines={diffLines(before, after)} />
  }
  const text = detailText(data)
  return text === null ? null : (
    <div className="px-2.5 pb-2">
      <Text mono text={text} rest={WHOLE} />
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Strip } from '../../design/strip.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { Text } from '../../sessions/transcript/text.tsx'
import { oneLine, seen } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import { contextQuery } from '../queries.ts'

const w = words.chat.sentDialog
const s = words.chat.side
const WHOLE = { n: 0, at: 0 }

/** The exact context that was sent with a message. */
export function SentDialog(props: {
  readonly conversation: string
  readonly message: string
  readonly onClose: () => void
}) {
  const { data, error, refetch } = useQuery(contextQuery(props.conversation, props.message))
  return (
    <Dialog open onClose={props.onClose} title={w.title} width="max-w-180">
      <p className="border-b border-line px-4 py-2 text-12 text-text-2">{w.note}</p>
      {error !== null && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
        >
          {w.failed} {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.wait}</Strip>}
      {data && (
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
        >
          {data.sections.length === 0 && <p className="px-4 py-3 text-12 text-text-3">{w.empty}</p>}
          {data.sections.map((section) => (
            <section key={section.key} className="border-b border-line px-4 py-2.5">
              <h3 className="flex gap-3 pb-1 text-12 font-semibold">
                <span className="flex-1">{oneLine(section.title, 60)}</span>
                <span className="text-11 font-normal text-text-3">
                  {section.status === 'ok' ? w.tokens(section.tokens) : s.status[section.status]}
                  {section.left_out > 0 && ` · ${s.leftOutMany(section.left_out)}`}
                </span>
              </h3>
              {section.note !== undefined && <p className="pb-1 text-11 text-text-3">{seen(section.note)}</p>}
              {section.status === 'ok' && section.tokens > 0 && !section.text && (
                <p className="text-12 text-text-3">{w.elsewhere}</p>
              )}
              {section.text !== undefined && section.text !== '' && (
                <Text mono text={section.text} rest={WHOLE} />
              )}
            </section>
          ))}
        </div>
      )}
    </Dialog>
  )
}

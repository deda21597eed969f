import type { InjectTarget, TemplateReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { EvidenceLink } from '../achievements/evidence-link.tsx'
import { useHasRole } from '../api/me.ts'
import { ActionMenu } from '../design/action-menu.tsx'
import { Button, IconButton } from '../design/button.tsx'
import { SidePanel } from '../design/side-panel.tsx'
import { Strip } from '../design/strip.tsx'
import { Tag } from '../design/tag.tsx'
import { toSessionKey } from '../live/data/agent-key.ts'
import { errorText } from '../sessions/strips.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { words } from '../words.ts'
import { copyTemplateAs } from './actions.ts'
import { argumentsText } from './example-text.ts'
import { Examples } from './examples.tsx'
import { formatCreationDay } from './format.ts'
import { templateQuery } from './queries.ts'
import { type TemplateRef, templateKey } from './template-ref.ts'

const w = words.templates
const LONGEST = 120
/** The generated description of a template, which says nothing new. */
const SAYS_NOTHING = /^Template with \d+ examples?$/
const TARGETS: readonly InjectTarget[] = ['openai', 'anthropic', 'hermes-prefill', 'claude-hook']
const LONGEST_ORIGIN = 80
const SHORT = 24

/** A template with its origin and examples. */
export function TemplatePanel(props: {
  readonly which: TemplateRef
  /** Shown above the examples if the page has no room for it. */
  readonly effect?: ReactNode
  /** Present if the panel lies over the page. */
  readonly onClose: (() => void) | undefined
  /** The actions, if the panel covers the toolbar. */
  readonly actions: ReactNode
}) {
  const { which, onClose } = props
  const { name } = which
  const { data, error, refetch } = useQuery(templateQuery(which))
  const mayUse = useHasRole('member')
  useKeys(onClose ? { Escape: onClose } : {})
  return (
    <SidePanel size="broad" label={w.panel.label(toVisibleLine(name, LONGEST))}>
      <div className="flex shrink-0 items-center gap-2 pt-3 pr-2 pl-4 desk:pr-4">
        <h2 className="min-w-0 flex-1 font-mono text-13 font-semibold [overflow-wrap:anywhere]">
          {toVisibleLine(name, LONGEST)}
        </h2>
        {data && data.template.examples.length > 0 && mayUse && <CopyAs which={which} />}
        {onClose && <IconButton icon="close" kind="quiet" label={words.actions.close} onClick={onClose} />}
      </div>
      {props.actions !== null && (
        <div className="mb-2.5 flex shrink-0 flex-wrap justify-end gap-2 border-b border-line px-4 py-2">
          {props.actions}
        </div>
      )}
      {error !== null && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
        >
          {w.panel.failed} {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.panel.wait}</Strip>}
      {data && <Body reply={data} effect={props.effect} />}
    </SidePanel>
  )
}

function Body({ reply, effect }: { readonly reply: TemplateReply; readonly effect: ReactNode }) {
  const { template, notes } = reply
  const { examples } = template
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div className="min-h-0 flex-1 divide-y divide-line overflow-y-auto" tabIndex={0}>
      <div className="px-4 pb-2.5">
        <p className="text-11 text-text-3">
          <OriginLink reply={reply} /> · {formatCreationDay(template.created_at, Date.now())} ·{' '}
          {w.panel.used(template.usage_count)}
        </p>
        {template.description !== '' && !SAYS_NOTHING.test(template.description) && (
          <p className="pt-1 text-12 text-text-2 [overflow-wrap:anywhere]">
            {toVisibleLine(template.description, 4 * LONGEST)}
          </p>
        )}
        <div className="flex flex-wrap gap-1.5 pt-2">
          <Tag>{w.examples.count(examples.length)}</Tag>
          <Tag>{w.panel.characters(countCharacters(examples))}</Tag>
          {notes !== null && notes.left_out > 0 && <Tag>{w.examples.leftOut(notes.left_out)}</Tag>}
          {notes !== null && notes.secrets_removed > 0 && (
            <Tag tone="stuck">{w.examples.removed(notes.secrets_removed)}</Tag>
          )}
          {reply.place === 'hermes' && <Tag>{w.inHermes}</Tag>}
        </div>
      </div>
      {effect !== undefined && <div className="px-4 py-3">{effect}</div>}
      <section aria-label={w.examples.title} className="px-4 py-2.5">
        <div className="flex justify-between pb-2 text-11 text-text-3">
          <h3 className="font-semibold">{w.examples.title}</h3>
          <span>{w.examples.order}</span>
        </div>
        <Examples key={template.name} examples={examples} removed={notes?.removed_by_example ?? []} />
      </section>
    </div>
  )
}

function CopyAs({ which }: { readonly which: TemplateRef }) {
  const actions = TARGETS.map((target) => ({
    label: w.panel.targets[target],
    icon: 'copy' as const,
    run: () => void copyTemplateAs(which, target),
  }))
  return <ActionMenu key={templateKey(which)} label={w.panel.copyAs} groups={[actions]} />
}

/** Counts the characters of all examples as they are shown. */
const countCharacters = (examples: TemplateReply['template']['examples']): number =>
  examples.reduce((sum, one) => sum + argumentsText(one.arguments).length + one.result.length, 0)

/** Links the session of a template. */
function OriginLink({ reply }: { readonly reply: TemplateReply }) {
  const { notes, place } = reply
  const id = reply.template.source_session_id
  if (id === null || id === '') return w.panel.fromUnknown
  const title = notes?.title ?? w.panel.fromSession(toVisibleLine(id, SHORT))
  return (
    <>
      {w.panel.from}{' '}
      {notes?.source == null ? (
        <EvidenceLink evidence={{ session_id: id, title }} view={place === 'hermes' ? 'hermes' : 'all'} />
      ) : (
        <Link
          to="/sessions"
          search={{ session: toSessionKey({ source: notes.source, session_id: id }) }}
          className="underline decoration-line-strong underline-offset-3 transition-colors hover:text-text"
        >
          {toVisibleLine(title, LONGEST_ORIGIN)}
        </Link>
      )}
    </>
  )
}

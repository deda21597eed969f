import type { TemplatesReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type RefObject, useMemo, useRef, useState } from 'react'
import { Button, IconButton } from '../../design/button.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import { KeyCap } from '../../design/key-cap.tsx'
import { Tag } from '../../design/tag.tsx'
import * as f from '../../format.ts'
import { useStore } from '../../store.ts'
import { templatesQuery } from '../../templates/queries.ts'
import { words } from '../../words.ts'
import { PickMenu } from '../pick-menu.tsx'
import { ServerText } from '../server-text.tsx'
import type { ContextView } from '../state/details.ts'
import { changeDraft, type Draft, drafts, EMPTY } from './drafts.ts'
import { StoredFiles } from './edited-message-files.tsx'
import type { DraftFile } from './files.ts'
import { findSlashMatches, parseSlash, type SlashItem } from './slash.ts'
import { optionId, SLASH_ID, SlashMenu } from './slash-menu.tsx'
import type { FileAttachment } from './use-attach.ts'

const w = words.chat.composer
const LONGEST = 1_000_000
const NO_SKILLS: ContextView['skills'] = []

export interface ComposerProps {
  /** The conversation; '' for a new one. */
  readonly id: string
  /** The runtime that will answer. */
  readonly name: string
  /** What to do first if that runtime is not ready. */
  readonly problem: string | null
  readonly isRunning: boolean
  readonly context: ContextView | null
  readonly attach: FileAttachment
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onSend: (draft: Draft) => void
  readonly onStop: () => void
}

/** The message field with its files and template, and the button that stops the running answer. */
export function Composer(props: ComposerProps) {
  const { id, name, isRunning, attach, context } = props
  const draft = useStore(drafts).get(id) ?? EMPTY
  const picker = useRef<HTMLInputElement>(null)
  const templates = useTemplates()
  const slash = useSlash(draft.text, templates, context?.skills ?? NO_SKILLS)
  const change = (next: Partial<Draft>) => changeDraft(id, next)
  const over = draft.text.length - LONGEST
  const canSend = !isRunning && draft.text.trim() !== '' && over <= 0
  const send = () => {
    if (canSend) props.onSend(draft)
  }
  const choose = (one: SlashItem) =>
    change(one.kind === 'template' ? { text: '', template: one.name } : { text: w.withSkill(one.name) })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const done = onKey(event)
    if (!done) return
    event.preventDefault()
    event.stopPropagation()
  }
  /** Whether the composer handled the key. */
  const onKey = (event: KeyboardEvent): boolean => {
    const mod = event.metaKey || event.ctrlKey
    if (slash.found !== null && slash.found.length > 0 && !mod) {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        slash.move(event.key === 'ArrowDown' ? 1 : -1)
        return true
      }
      const one = slash.found[slash.at]
      if (one && (event.key === 'Enter' || event.key === 'Tab')) {
        choose(one)
        return true
      }
      if (event.key === 'Escape') {
        slash.close()
        return true
      }
    }
    if (event.key === 'Escape') {
      if (isRunning) props.onStop()
      else if (draft.replaces !== null) change(EMPTY)
      else props.field.current?.blur()
      return true
    }
    // Touch keyboards have no Shift+Enter, so Enter begins a line there and the button sends.
    const sends = event.key === 'Enter' && !event.shiftKey && !event.altKey && (mod || !isTouch())
    if (sends) send()
    return sends
  }
  const memory = memoryTokens(context)
  return (
    <div className="shrink-0 px-6 pt-2.5 pb-3.5 max-desk:px-3 max-desk:pb-2.5">
      {props.problem !== null && (
        <p className="flex items-center gap-2 pb-2 text-12 text-stuck" role="status">
          <Glyph name="stuck" size={14} />
          <span className="min-w-0 wrap-anywhere">
            <ServerText text={props.problem} />
          </span>
        </p>
      )}
      <div className="flex flex-col rounded-card border border-line-strong bg-raised py-2 pr-2.5 pl-3 focus-within:border-text-3">
        {draft.replaces !== null && (
          <p className="flex items-center gap-2 pb-1.5 text-11 text-text-3">
            <Icon name="pencil" size={12} />
            <span className="flex-1">{w.editing}</span>
            <Button kind="quiet" onClick={() => change(EMPTY)}>
              {w.cancelEdit}
            </Button>
          </p>
        )}
        {slash.found !== null && (
          <SlashMenu found={slash.found} hasAny={slash.hasAny} at={slash.at} onChoose={choose} />
        )}
        <StoredFiles files={draft.kept} onRemove={() => change({ kept: [] })} />
        <AttachedFiles
          files={draft.files}
          onRemove={(at) => change({ files: draft.files.filter((_, i) => i !== at) })}
        />
        <textarea
          ref={props.field}
          rows={1}
          aria-label={w.label}
          aria-invalid={over > 0}
          {...(slash.found !== null && slash.found.length > 0
            ? { 'aria-controls': SLASH_ID, 'aria-activedescendant': optionId(slash.at) }
            : {})}
          placeholder={w.placeholder(name)}
          value={draft.text}
          className="field-sizing-content max-h-[34dvh] min-h-6 w-full resize-none bg-transparent text-13 text-text outline-none placeholder:text-text-3 touch:text-[16px]"
          onChange={(event) => change({ text: event.target.value })}
          onKeyDown={onKeyDown}
          onPaste={attach.onPaste}
        />
        <div className="flex flex-wrap items-center gap-1.5 pt-2">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              attach.add([...(event.target.files ?? [])])
              event.target.value = ''
            }}
          />
          <IconButton kind="quiet" icon="clip" label={w.attach} onClick={() => picker.current?.click()} />
          <PickMenu
            isPlain
            label={w.templateLabel}
            shown={w.template(draft.template === null ? null : toVisibleLine(draft.template, 40))}
            picks={[
              { value: '', label: w.noTemplate },
              ...templates.map((one) => ({
                value: one.name,
                label: toVisibleLine(one.name, 60),
                ...(one.description ? { detail: toVisibleLine(one.description, 160) } : {}),
              })),
            ]}
            chosen={draft.template ?? ''}
            onPick={(value) => change({ template: value === '' ? null : value })}
            empty={w.noTemplates}
          />
          {context !== null && context.skills.length > 0 && (
            <Tag className="max-roomy:hidden">{w.skills(context.skills.length)}</Tag>
          )}
          {memory > 0 && (
            <Tag className="max-roomy:hidden">
              <span title={w.memoryUnit}>{w.memory(memory)}</span>
            </Tag>
          )}
          <span className="flex-1" />
          {over > 0 && (
            <span role="status" className="text-11 text-failed">
              {w.tooLong(over)}
            </span>
          )}
          {isRunning ? (
            <>
              <span className="flex items-center gap-1 text-11 text-text-3 max-desk:hidden">
                <KeyCap>Esc</KeyCap> {w.stopHint}
              </span>
              <Button icon="stop" onClick={props.onStop}>
                {w.stop}
              </Button>
            </>
          ) : (
            <Button kind="main" disabled={!canSend} onClick={send}>
              {w.send}
            </Button>
          )}
        </div>
      </div>
      <p className="sr-only" role="status">
        {draft.files.length > 0 && `${w.files}: ${f.count(draft.files.length)}`}
      </p>
    </div>
  )
}

const MEMORY = ['summary', 'recalled', 'user', 'knowledge']

/** Tokens of memory that went with the last message. */
const memoryTokens = (context: ContextView | null): number =>
  context?.sections.reduce((sum, { key, tokens }) => sum + (MEMORY.includes(key) ? tokens : 0), 0) ?? 0

const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches

interface Slash {
  /** Null while the menu is closed. */
  readonly found: readonly SlashItem[] | null
  readonly hasAny: boolean
  readonly at: number
  readonly move: (by: number) => void
  /** Dismissed until the text changes. */
  readonly close: () => void
}

type ListedTemplate = TemplatesReply['templates'][number]

const NONE: readonly ListedTemplate[] = []

/** Templates, one per name. */
function useTemplates(): readonly ListedTemplate[] {
  const all = useQuery(templatesQuery).data?.templates ?? NONE
  return useMemo(() => all.filter((one, i) => all.findIndex(({ name }) => name === one.name) === i), [all])
}

/** Everything that a slash can name. */
function useSlash(
  text: string,
  templates: readonly ListedTemplate[],
  skills: readonly { readonly name: string; readonly reasons: readonly string[] }[],
): Slash {
  const [at, setAt] = useState(0)
  const [closed, setClosed] = useState<string | null>(null)
  const typed = parseSlash(text)
  const all = useMemo<readonly SlashItem[]>(
    () => [
      ...templates.map(({ name, description }) => ({
        kind: 'template' as const,
        name,
        about: description ?? '',
      })),
      ...skills.map(({ name, reasons }) => ({ kind: 'skill' as const, name, about: reasons.join(', ') })),
    ],
    [templates, skills],
  )
  const found = useMemo(() => (typed === null ? null : findSlashMatches(typed, all)), [typed, all])
  const count = found?.length ?? 0
  return {
    found: closed === text ? null : found,
    hasAny: all.length > 0,
    at: Math.min(at, Math.max(0, count - 1)),
    move: (by) => setAt((before) => (count === 0 ? 0 : (Math.min(before, count - 1) + by + count) % count)),
    close: () => setClosed(text),
  }
}

/** The files of the message, each with a button to remove it. */
function AttachedFiles(props: {
  readonly files: readonly DraftFile[]
  readonly onRemove: (at: number) => void
}) {
  if (props.files.length === 0) return null
  return (
    <ul aria-label={w.files} className="flex max-h-24 flex-wrap gap-1.5 overflow-y-auto pb-2">
      {props.files.map((file, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
          key={i}
          className="flex h-7 max-w-60 items-center gap-1.5 rounded-chip border border-line bg-surface pl-2 text-12 touch:h-11"
        >
          <Icon name="clip" size={12} />
          <span className="min-w-0 truncate" title={file.name}>
            {file.name}
          </span>
          <span className="text-11 whitespace-nowrap text-text-3">{f.bytes(file.bytes)}</span>
          <IconButton
            kind="quiet"
            icon="close"
            label={w.remove(file.name)}
            className="h-6! w-6! touch:h-11! touch:w-11!"
            onClick={() => props.onRemove(i)}
          />
        </li>
      ))}
    </ul>
  )
}

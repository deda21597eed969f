import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useMe } from '../api/me.ts'
import { classes } from '../design/class.ts'
import { Glyph } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
import { words } from '../words.ts'
import { type SectionId, sectionsOf } from './sections.ts'

const EDGE = 16

const itemClass =
  'flex h-7 shrink-0 items-center justify-between gap-2 rounded-control px-2.5 text-12 whitespace-nowrap transition-colors max-desk:border max-desk:border-line touch:h-11'

/** The sections beside the column; on a phone, a line above it. */
export function SectionList({
  current,
  trouble,
  onPick,
}: {
  readonly current: SectionId
  readonly trouble: Readonly<Partial<Record<SectionId, number>>>
  readonly onPick: (id: SectionId) => void
}) {
  const list = useRef<HTMLElement>(null)
  // On a phone the line is longer than the screen.
  useEffect(() => {
    const item = list.current?.querySelector<HTMLElement>(`[href='#${current}']`)
    if (item) list.current?.scrollTo({ left: item.offsetLeft - EDGE })
  }, [current])
  return (
    <nav
      ref={list}
      aria-label={words.settings.sections}
      className="relative flex gap-1 max-desk:-mx-4 max-desk:overflow-x-auto max-desk:border-b max-desk:border-line max-desk:px-4 max-desk:py-2 desk:w-46 desk:shrink-0 desk:flex-col desk:gap-0.5 desk:py-5"
    >
      {sectionsOf(useMe() !== null).map(({ id, title }) => (
        <a
          key={id}
          href={`#${id}`}
          aria-current={id === current ? 'location' : undefined}
          className={classes(
            itemClass,
            id === current
              ? 'bg-high font-semibold text-text'
              : 'text-text-2 hover:bg-raised hover:text-text',
          )}
          onClick={(event) => {
            event.preventDefault()
            onPick(id)
          }}
        >
          {title}
          {(trouble[id] ?? 0) > 0 && (
            <span className="flex items-center gap-1 font-normal text-failed">
              <Glyph name="failed" size={14} />
              <span className="sr-only">{words.settings.toFix(trouble[id] ?? 0)}</span>
              <span aria-hidden="true">{trouble[id]}</span>
            </span>
          )}
        </a>
      ))}
      <Link
        to="/settings/events"
        className={classes(itemClass, 'text-text-2 hover:bg-raised hover:text-text')}
      >
        {words.settings.events}
        <Icon name="right" size={12} />
      </Link>
    </nav>
  )
}

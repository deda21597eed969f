import { Link, useLocation } from '@tanstack/react-router'
import { TodaysMoney } from '../budgets/today.tsx'
import { classes } from '../design/class.ts'
import { Eye } from '../design/eye.tsx'
import { Icon } from '../design/icon.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { NeedsYou } from '../live/needs-you.tsx'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { navItems } from './nav.ts'
import { openKeys, openMore } from './overlays.ts'
import { chooseTheme, otherTheme, themeShown } from './theme.ts'

/** Wide: names and keys. At 1280: icons. On a phone it lies at the bottom. */
export function Rail() {
  return (
    <nav
      aria-label={words.nav.label}
      className="flex shrink-0 flex-col border-line bg-app max-desk:order-last max-desk:border-t desk:w-14 desk:border-r wide:w-49"
    >
      <div className="hidden h-12 items-center gap-2.5 px-4.5 text-15 font-semibold desk:flex">
        <Eye />
        <span className="hidden wide:inline">{words.product}</span>
      </div>
      <div className="flex gap-0.5 max-desk:justify-around desk:flex-col desk:px-2.5">
        {navItems.map((item) => (
          <Link
            key={item.to}
            to={item.to}
            title={item.label}
            activeOptions={{ exact: item.to === '/', includeSearch: false, includeHash: false }}
            className={classes(itemClass, item.more && 'max-desk:hidden', item.late && 'max-desk:order-1')}
            activeProps={{ className: 'font-semibold text-text desk:bg-high desk:hover:bg-high' }}
          >
            <span className="absolute top-1.5 bottom-1.5 -left-2.5 hidden w-[3px] rounded-r-tag bg-gold group-aria-[current=page]:desk:block" />
            <span className="group-aria-[current=page]:text-gold-text">
              <Icon name={item.icon} size={18} />
            </span>
            <span className="max-w-full truncate desk:hidden wide:inline">{item.label}</span>
            <span className="ml-auto hidden text-11 font-normal text-text-3 wide:inline" aria-hidden>
              {item.key}
            </span>
          </Link>
        ))}
        <MoreButton />
      </div>
      <NeedsYou />
      <RailFoot />
    </nav>
  )
}

const itemClass =
  'group relative flex items-center rounded-control text-text-2 transition-colors hover:text-text max-desk:h-14 max-desk:min-w-0 max-desk:flex-1 max-desk:flex-col max-desk:justify-center max-desk:gap-1 max-desk:text-11 desk:h-8 desk:justify-center desk:gap-2.5 desk:hover:bg-raised wide:justify-start wide:px-2'

/** The rest of the pages on a phone, whose bar has room for a few. */
function MoreButton() {
  const path = useLocation({ select: ({ pathname }) => pathname })
  const isHere = navItems.some(({ to, more }) => more && path.startsWith(to))
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      className={classes(itemClass, 'max-desk:order-2 desk:hidden', isHere && 'font-semibold text-text')}
      onClick={openMore}
    >
      <span className={isHere ? 'text-gold-text' : ''}>
        <Icon name="more" size={18} />
      </span>
      {words.nav.more}
    </button>
  )
}

const footClass =
  'flex h-8 items-center justify-center gap-3 rounded-control text-12 text-text-3 transition-colors hover:bg-raised hover:text-text wide:justify-start wide:px-2'

function RailFoot() {
  const shown = useStore(themeShown)
  const theme = words.theme.switchTo(shown === 'dark' ? 'light' : 'dark')
  return (
    <div className="mt-auto hidden flex-col px-2.5 py-2.5 desk:flex">
      <TodaysMoney />
      <button type="button" className={footClass} title={words.keys.title} onClick={openKeys}>
        <Icon name="keys" size={18} />
        <span className="sr-only wide:not-sr-only">{words.keys.show}</span>
        <span aria-hidden="true" className="ml-auto hidden wide:inline">
          <KeyCap>?</KeyCap>
        </span>
      </button>
      <button type="button" className={footClass} title={theme} onClick={() => chooseTheme(otherTheme())}>
        <Icon name={shown === 'dark' ? 'sun' : 'moon'} size={18} />
        <span className="sr-only wide:not-sr-only">{theme}</span>
      </button>
    </div>
  )
}

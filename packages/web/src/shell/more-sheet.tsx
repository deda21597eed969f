import { Dialog as Base } from '@base-ui/react/dialog'
import { Link } from '@tanstack/react-router'
import { Icon } from '../design/icon.tsx'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { navItems } from './nav.ts'
import { closeOverlay } from './overlays.ts'
import { chooseTheme, otherTheme, themeShown } from './theme.ts'

const rowClass =
  'flex h-14 w-full items-center gap-3 rounded-control px-3 text-left text-text-2 transition-colors hover:bg-high hover:text-text'

/** The pages that do not fit the navigation bar of a phone, and the theme. */
export default function MoreSheet() {
  const shown = useStore(themeShown)
  return (
    <Base.Root open onOpenChange={(next) => !next && closeOverlay()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup className="sheet fixed inset-x-0 bottom-0 z-40 rounded-t-card border-t border-line-strong bg-raised px-3 pt-2 pb-[max(12px,env(safe-area-inset-bottom))] shadow-float">
          <span className="mx-auto mb-2 block h-1 w-9 rounded-tag bg-line-strong" />
          <Base.Title className="sr-only">{words.nav.morePages}</Base.Title>
          <nav aria-label={words.nav.morePages}>
            {navItems.map(
              (item) =>
                item.more && (
                  <Link
                    key={item.to}
                    to={item.to}
                    className={rowClass}
                    activeProps={{ className: 'bg-high font-semibold text-text' }}
                    onClick={closeOverlay}
                  >
                    <Icon name={item.icon} size={18} />
                    <span className="min-w-0">
                      <span className="block">{item.label}</span>
                      <span className="block truncate text-11 font-normal text-text-3">{item.hint}</span>
                    </span>
                  </Link>
                ),
            )}
          </nav>
          <button
            type="button"
            className={`${rowClass} mt-1 border-t border-line`}
            onClick={() => {
              chooseTheme(otherTheme())
              closeOverlay()
            }}
          >
            <Icon name={shown === 'dark' ? 'sun' : 'moon'} size={18} />
            {words.theme.switchTo(shown === 'dark' ? 'light' : 'dark')}
          </button>
          <Base.Close className={rowClass}>
            <Icon name="close" size={18} />
            {words.actions.close}
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

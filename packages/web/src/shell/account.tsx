import { toVisibleLine } from '@panoptes/schema/shown'
import { lazy } from 'react'
import { useMe } from '../api/me.ts'
import { Icon } from '../design/icon.tsx'
import { MenuButton } from '../design/menu-button.tsx'
import { words } from '../words.ts'

const w = words.team.who
const LONGEST = 60

const loadMenu = () => import('./account-menu.tsx')
const WhoMenu = lazy(loadMenu)

export const whoClass =
  'flex h-7.5 max-w-52 items-center gap-1.5 rounded-control px-1.5 text-12 text-text-2 transition-colors hover:bg-raised hover:text-text max-desk:h-11 max-desk:w-11 max-desk:justify-center'

/** Shows the signed-in person of a team, with a menu to switch the space or sign out. */
export function Who() {
  const me = useMe()
  if (me === null) return null
  const name = toVisibleLine(me.user?.email ?? me.label, LONGEST)
  return (
    <MenuButton
      className={whoClass}
      label={w.label(name, me.space)}
      load={loadMenu}
      menu={<WhoMenu me={me} name={name} />}
    >
      <WhoFace name={name} />
    </MenuButton>
  )
}

export const WhoFace = ({ name }: { readonly name: string }) => (
  <>
    <Icon name="person" />
    <span className="truncate max-desk:sr-only">{name}</span>
    <span className="max-desk:hidden">
      <Icon name="down" size={12} />
    </span>
  </>
)

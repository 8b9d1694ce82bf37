import foundation from '../../migrations/0000_foundation.sql' with { type: 'text' }

/** Every migration in its order, carried inside the executable. */
export const migrations: { name: string; sql: string }[] = [
  { name: '0000_foundation', sql: foundation },
]
